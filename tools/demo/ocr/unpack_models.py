"""Takes the detector, the reader and the reader's alphabet out of a rapidocr-onnxruntime wheel.

    unpack_models.py WHEEL FOLDER

The alphabet is the value of `character` in the reader's metadata_props. Plain Python, so that the demo installs nothing:
of protobuf's wire format only varints and length-delimited fields are needed to walk an ONNX file's top level.
"""
import pathlib
import sys
import zipfile

METADATA_PROPS = 14  # field number in onnx.ModelProto; its entries hold key = 1, value = 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field of a message that has varint and length-delimited fields only."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            begin, at = at, at + value
            value = data[begin:at]
        elif tag & 7 != 0:
            raise ValueError(f"unexpected wire type {tag & 7}")
        yield tag >> 3, value


def alphabet(model):
    for number, entry in fields(memoryview(model)):
        if number == METADATA_PROPS:
            pair = dict(fields(entry))
            if bytes(pair[1]) == b"character":
                return bytes(pair[2])
    raise ValueError("the model carries no alphabet")


def main(wheel, folder):
    folder = pathlib.Path(folder)
    with zipfile.ZipFile(wheel) as archive:
        for name in ("det", "rec"):
            model = archive.read(f"rapidocr_onnxruntime/models/ch_PP-OCRv4_{name}_infer.onnx")
            (folder / f"{name}.onnx").write_bytes(model)
    (folder / "characters.txt").write_bytes(alphabet(model) + b"\n")


main(*sys.argv[1:])
