// Every member of ImageProcess, Matrix, Rect and Point, as MNN 3.6 declares them.
#include <MNN/ImageProcess.hpp>
#include <MNN/Matrix.h>
#include <MNN/Rect.h>
#include "Signature.hpp"

using namespace MNN;
using namespace MNN::CV;

static_assert(RGBA == 0 && RGB == 1 && BGR == 2 && GRAY == 3 && BGRA == 4 && YCrCb == 5 && YUV == 6 && HSV == 7 &&
                  XYZ == 8 && BGR555 == 9 && BGR565 == 10 && YUV_NV21 == 11 && YUV_NV12 == 12 && YUV_I420 == 13 &&
                  HSV_FULL == 14 && NEAREST == 0 && BILINEAR == 1 && BICUBIC == 2 && CLAMP_TO_EDGE == 0 && ZERO == 1 &&
                  REPEAT == 2,
              "image enums");
static_assert(Matrix::kMScaleX == 0 && Matrix::kMSkewX == 1 && Matrix::kMTransX == 2 && Matrix::kMSkewY == 3 &&
                  Matrix::kMScaleY == 4 && Matrix::kMTransY == 5 && Matrix::kMPersp0 == 6 && Matrix::kMPersp1 == 7 &&
                  Matrix::kMPersp2 == 8 && Matrix::kAScaleX == 0 && Matrix::kASkewY == 1 && Matrix::kASkewX == 2 &&
                  Matrix::kAScaleY == 3 && Matrix::kATransX == 4 && Matrix::kATransY == 5,
              "matrix indices");
static_assert(Matrix::kIdentity_Mask == 0 && Matrix::kTranslate_Mask == 1 && Matrix::kScale_Mask == 2 &&
                  Matrix::kAffine_Mask == 4 && Matrix::kPerspective_Mask == 8 && Matrix::kFill_ScaleToFit == 0 &&
                  Matrix::kStart_ScaleToFit == 1 && Matrix::kCenter_ScaleToFit == 2 && Matrix::kEnd_ScaleToFit == 3,
              "matrix enums");
static_assert(Rect::MakeXYWH(1, 2, 3, 4).fBottom == 6 && Rect::MakeWH(1, 2).fRight == 1 &&
                  Rect::MakeLTRB(1, 2, 3, 4).fTop == 2 && Rect::MakeEmpty().fLeft == 0,
              "constant rectangles");

void imageProcessSignatures() {
    typedef ImageProcess P;
    has<P* (*)(const P::Config&, const Tensor*)>(&P::create);
    has<P* (*)(const ImageFormat, const ImageFormat, const float*, const int, const float*, const int, const Tensor*)>(
        &P::create);
    has<void (*)(P*)>(&P::destroy);
    has<const Matrix& (P::*)() const>(&P::matrix);
    has<void (P::*)(const Matrix&)>(&P::setMatrix);
    has<ErrorCode (P::*)(const uint8_t*, int, int, int, Tensor*)>(&P::convert);
    has<ErrorCode (P::*)(const uint8_t*, int, int, int, void*, int, int, int, int, halide_type_t)>(&P::convert);
    has<Tensor* (*)(int, int, int, void*)>(&P::createImageTensor<uint8_t>);
    has<Tensor* (*)(halide_type_t, int, int, int, void*)>(&P::createImageTensor);
    has<void (P::*)(uint8_t)>(&P::setPadding);
    has<void (P::*)()>(&P::setDraw);
    has<void (P::*)(uint8_t*, int, int, int, const int*, int, const uint8_t*)>(&P::draw);
}

void matrixGetSignatures() {
    typedef Matrix M;
    has<M (*)(float, float)>(&M::MakeScale);
    has<M (*)(float)>(&M::MakeScale);
    has<M (*)(float, float)>(&M::MakeTrans);
    has<M (*)(float, float, float, float, float, float, float, float, float)>(&M::MakeAll);
    has<M::TypeMask (M::*)() const>(&M::getType);
    has<bool (M::*)() const>(&M::isIdentity);
    has<bool (M::*)() const>(&M::isScaleTranslate);
    has<bool (M::*)() const>(&M::isTranslate);
    has<bool (M::*)() const>(&M::rectStaysRect);
    has<bool (M::*)() const>(&M::preservesAxisAlignment);
    has<float (M::*)(int) const>(&M::operator[]);
    has<float& (M::*)(int)>(&M::operator[]);
    has<float (M::*)(int) const>(&M::get);
    float (M::*const getters[])()
        const = {&M::getScaleX,     &M::getScaleY, &M::getSkewY,  &M::getSkewX,    &M::getTranslateX,
                 &M::getTranslateY, &M::getPerspX, &M::getPerspY, &M::getMinScale, &M::getMaxScale};
    has(getters[0]);
    has<void (M::*)(float[9]) const>(&M::get9);
    has<void (*)(float[6])>(&M::SetAffineIdentity);
    has<bool (M::*)(float[6]) const>(&M::asAffine);
    has<bool (M::*)(const M&) const>(&M::cheapEqualTo);
    has<void (M::*)() const>(&M::dump);
    has<bool (M::*)(float[2]) const>(&M::getMinMaxScales);
    has<const M& (*)()>(&M::I);
    has<const M& (*)()>(&M::InvalidMatrix);
    has<M (*)(const M&, const M&)>(&M::Concat);
    has<bool>(M::I() == M::InvalidMatrix());
    has<bool>(M::I() != M::InvalidMatrix());
}

void matrixSetSignatures() {
    typedef Matrix M;
    has<void (M::*)(int, float)>(&M::set);
    void (M::*const setters[])(float) = {&M::setScaleX,     &M::setScaleY,     &M::setSkewY,  &M::setSkewX,
                                         &M::setTranslateX, &M::setTranslateY, &M::setPerspX, &M::setPerspY,
                                         &M::setRotate,     &M::preRotate,     &M::postRotate};
    has(setters[0]);
    has<void (M::*)(float, float, float, float, float, float, float, float, float)>(&M::setAll);
    has<void (M::*)(const float[9])>(&M::set9);
    void (M::*const resets[])() = {&M::reset, &M::setIdentity, &M::dirtyMatrixTypeCache};
    has(resets[0]);
    void (M::*const pairs[])(float, float) = {&M::setTranslate, &M::setScale, &M::setSinCos, &M::setSkew,
                                              &M::preTranslate, &M::preScale, &M::preSkew,   &M::postTranslate,
                                              &M::postScale,    &M::postSkew};
    has(pairs[0]);
    void (M::*const pivoted[])(float, float, float, float) = {&M::setScale, &M::setSinCos,        &M::setSkew,
                                                              &M::preScale, &M::preSkew,          &M::postScale,
                                                              &M::postSkew, &M::setScaleTranslate};
    has(pivoted[0]);
    void (M::*const rotations[])(float, float, float) = {&M::setRotate, &M::preRotate, &M::postRotate};
    has(rotations[0]);
    has<void (M::*)(const M&, const M&)>(&M::setConcat);
    has<void (M::*)(const M&)>(&M::preConcat);
    has<void (M::*)(const M&)>(&M::postConcat);
    has<bool (M::*)(int, int)>(&M::postIDiv);
    has<bool (M::*)(const Rect&, const Rect&, M::ScaleToFit)>(&M::setRectToRect);
    has<M (*)(const Rect&, const Rect&, M::ScaleToFit)>(&M::MakeRectToRect);
    has<bool (M::*)(const Point[], const Point[], int)>(&M::setPolyToPoly);
    has<bool (M::*)(M*) const>(&M::invert);
    has<void (M::*)(const float[6])>(&M::setAffine);
    has<void (M::*)(Point[], const Point[], int) const>(&M::mapPoints);
    has<void (M::*)(Point[], int) const>(&M::mapPoints);
    has<void (M::*)(float, float, Point*) const>(&M::mapXY);
    has<Point (M::*)(float, float) const>(&M::mapXY);
    has<bool (M::*)(Rect*, const Rect&) const>(&M::mapRect);
    has<bool (M::*)(Rect*) const>(&M::mapRect);
    has<Rect (M::*)(const Rect&) const>(&M::mapRect);
    has<void (M::*)(Rect*, const Rect&) const>(&M::mapRectScaleTranslate);
}

void rectSignatures() {
    typedef Rect R;
    has<void (Point::*)(float, float)>(&Point::set);
    has<R (*)()>(&R::MakeEmpty);
    has<R (*)()>(&R::MakeLargest);
    has<R (*)(float, float)>(&R::MakeWH);
    has<R (*)(int, int)>(&R::MakeIWH);
    has<R (*)(float, float, float, float)>(&R::MakeLTRB);
    has<R (*)(float, float, float, float)>(&R::MakeXYWH);
    bool (R::*const tests[])() const = {&R::isEmpty, &R::isSorted};
    has(tests[0]);
    float (R::*const getters[])() const = {&R::x,      &R::y,     &R::left,   &R::top,     &R::right,
                                           &R::bottom, &R::width, &R::height, &R::centerX, &R::centerY};
    has(getters[0]);
    void (R::*const plain[])() = {&R::setEmpty, &R::sort};
    has(plain[0]);
    void (R::*const edges[])(float, float, float, float) = {&R::set, &R::setLTRB, &R::setXYWH};
    has(edges[0]);
    has<void (R::*)(int, int, int, int)>(&R::iset);
    has<void (R::*)(int, int)>(&R::isetWH);
    void (R::*const moves[])(float, float) = {&R::setWH, &R::offset, &R::offsetTo, &R::inset, &R::outset};
    has(moves[0]);
    R (R::*const copies[])(float, float) const = {&R::makeOffset, &R::makeInset, &R::makeOutset};
    has(copies[0]);
    has<R (R::*)() const>(&R::makeSorted);
    has<bool (R::*)(float, float, float, float) const>(&R::intersects);
    has<bool (R::*)(const R&) const>(&R::intersects);
    has<bool (*)(const R&, const R&)>(&R::Intersects);
    has<void (R::*)(const R&)>(&R::joinNonEmptyArg);
    has<void (R::*)(const R&)>(&R::joinPossiblyEmptyRect);
    has<bool (R::*)(float, float) const>(&R::contains);
    has<const float* (R::*)() const>(&R::asScalars);
}
