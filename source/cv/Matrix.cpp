// 3x3 matrix algebra. Products are summed in double and rounded once.
#include <MNN/Matrix.h>

#include <cfloat>
#include <cmath>
#include <utility>

namespace MNN {
namespace CV {

namespace {

struct Matrix3d {
    double m[9];
};

Matrix3d widen(const Matrix& matrix) {
    Matrix3d wide;
    for (int i = 0; i < 9; ++i) wide.m[i] = matrix[i];
    return wide;
}

Matrix3d multiply(const Matrix3d& a, const Matrix3d& b) {
    Matrix3d product;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += a.m[row * 3 + k] * b.m[k * 3 + column];
            product.m[row * 3 + column] = sum;
        }
    }
    return product;
}

// False when there is no inverse that floats can hold.
bool invertTo(const Matrix3d& a, Matrix3d* inverse) {
    const double* m = a.m;
    const Matrix3d cofactors = {{m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                                 m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                                 m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]}};
    const double determinant = m[0] * cofactors.m[0] + m[1] * cofactors.m[3] + m[2] * cofactors.m[6];
    if (determinant == 0 || !std::isfinite(determinant)) return false;
    for (int i = 0; i < 9; ++i) {
        inverse->m[i] = cofactors.m[i] / determinant;
        if (!(std::fabs(inverse->m[i]) <= FLT_MAX)) return false;
    }
    return true;
}

Matrix narrow(const Matrix3d& wide) {
    Matrix matrix;
    for (int i = 0; i < 9; ++i) matrix.set(i, static_cast<float>(wide.m[i]));
    return matrix;
}

struct SinCos {
    float sin, cos;
};

// Exact for quarter turns, so that rectStaysRect holds for them.
SinCos sinCosOf(float degrees) {
    const double radians = static_cast<double>(degrees) * (3.14159265358979323846 / 180.0);
    const auto snap = [](double v) { return std::fabs(v) < 1e-7 ? 0.0f : static_cast<float>(v); };
    return {snap(std::sin(radians)), snap(std::cos(radians))};
}

Matrix rotation(float degrees) {
    Matrix m;
    m.setRotate(degrees);
    return m;
}

Matrix aboutPivot(const Matrix& linear, float px, float py) {
    return Matrix::Concat(Matrix::MakeTrans(px, py), Matrix::Concat(linear, Matrix::MakeTrans(-px, -py)));
}

Matrix skewing(float kx, float ky) {
    Matrix m;
    m.setSkew(kx, ky);
    return m;
}

// The affine matrix that maps (0,0), (1,0), (0,1) to three points.
Matrix3d affineBasis(double x0, double y0, double x1, double y1, double x2, double y2) {
    return {{x1 - x0, x2 - x0, x0, y1 - y0, y2 - y0, y0, 0, 0, 1}};
}

// The perspective matrix that maps the corners (0,0), (1,0), (1,1), (0,1) of the unit square to a quadrilateral.
bool squareToQuad(const Point p[4], Matrix3d* result) {
    const double dx1 = double(p[1].fX) - p[2].fX, dy1 = double(p[1].fY) - p[2].fY;
    const double dx2 = double(p[3].fX) - p[2].fX, dy2 = double(p[3].fY) - p[2].fY;
    const double sx = double(p[0].fX) - p[1].fX + p[2].fX - p[3].fX;
    const double sy = double(p[0].fY) - p[1].fY + p[2].fY - p[3].fY;
    const double determinant = dx1 * dy2 - dx2 * dy1;
    if (determinant == 0) return false;
    const double g = (sx * dy2 - dx2 * sy) / determinant;
    const double h = (dx1 * sy - sx * dy1) / determinant;
    *result = {{(1 + g) * p[1].fX - p[0].fX, (1 + h) * p[3].fX - p[0].fX, p[0].fX, (1 + g) * p[1].fY - p[0].fY,
                (1 + h) * p[3].fY - p[0].fY, p[0].fY, g, h, 1}};
    return true;
}

// The matrix that maps a standard figure of `count` points to p: what setPolyToPoly composes.
bool basisOf(const Point p[], int count, Matrix3d* result) {
    switch (count) {
        case 1:
            *result = {{1, 0, p[0].fX, 0, 1, p[0].fY, 0, 0, 1}};
            return true;
        case 2: {
            const double dx = double(p[1].fX) - p[0].fX, dy = double(p[1].fY) - p[0].fY;
            *result = affineBasis(p[0].fX, p[0].fY, p[1].fX, p[1].fY, p[0].fX - dy, p[0].fY + dx);
            return true;
        }
        case 3:
            *result = affineBasis(p[0].fX, p[0].fY, p[1].fX, p[1].fY, p[2].fX, p[2].fY);
            return true;
        default:
            return squareToQuad(p, result);
    }
}

}  // namespace

Matrix::TypeMask Matrix::getType() const {
    const bool perspective = fMat[kMPersp0] != 0 || fMat[kMPersp1] != 0 || fMat[kMPersp2] != 1;
    if (perspective) return TypeMask(kTranslate_Mask | kScale_Mask | kAffine_Mask | kPerspective_Mask);
    int mask = kIdentity_Mask;
    if (fMat[kMTransX] != 0 || fMat[kMTransY] != 0) mask |= kTranslate_Mask;
    if (fMat[kMSkewX] != 0 || fMat[kMSkewY] != 0) mask |= kAffine_Mask | kScale_Mask;
    if (fMat[kMScaleX] != 1 || fMat[kMScaleY] != 1) mask |= kScale_Mask;
    return TypeMask(mask);
}

bool Matrix::rectStaysRect() const {
    if (getType() & kPerspective_Mask) return false;
    const bool scales = fMat[kMScaleX] != 0 && fMat[kMScaleY] != 0;
    const bool skews = fMat[kMSkewX] != 0 && fMat[kMSkewY] != 0;
    const bool noScale = fMat[kMScaleX] == 0 && fMat[kMScaleY] == 0;
    const bool noSkew = fMat[kMSkewX] == 0 && fMat[kMSkewY] == 0;
    return (scales && noSkew) || (skews && noScale);
}

void Matrix::setAll(float scaleX, float skewX, float transX, float skewY, float scaleY, float transY, float persp0,
                    float persp1, float persp2) {
    const float values[9] = {scaleX, skewX, transX, skewY, scaleY, transY, persp0, persp1, persp2};
    set9(values);
}

void Matrix::setScale(float sx, float sy, float px, float py) { setScaleTranslate(sx, sy, px - sx * px, py - sy * py); }

void Matrix::setSinCos(float sinValue, float cosValue) {
    setAll(cosValue, -sinValue, 0, sinValue, cosValue, 0, 0, 0, 1);
}

void Matrix::setSinCos(float sinValue, float cosValue, float px, float py) {
    setSinCos(sinValue, cosValue);
    *this = aboutPivot(*this, px, py);
}

void Matrix::setRotate(float degrees) {
    const SinCos turn = sinCosOf(degrees);
    setSinCos(turn.sin, turn.cos);
}

void Matrix::setRotate(float degrees, float px, float py) { *this = aboutPivot(rotation(degrees), px, py); }

void Matrix::setSkew(float kx, float ky, float px, float py) { setAll(1, kx, -kx * py, ky, 1, -ky * px, 0, 0, 1); }

void Matrix::setConcat(const Matrix& a, const Matrix& b) { *this = narrow(multiply(widen(a), widen(b))); }

void Matrix::preConcat(const Matrix& other) { setConcat(*this, other); }
void Matrix::preTranslate(float dx, float dy) { preConcat(MakeTrans(dx, dy)); }
void Matrix::preScale(float sx, float sy, float px, float py) { preConcat(aboutPivot(MakeScale(sx, sy), px, py)); }
void Matrix::preScale(float sx, float sy) { preConcat(MakeScale(sx, sy)); }
void Matrix::preRotate(float degrees, float px, float py) { preConcat(aboutPivot(rotation(degrees), px, py)); }
void Matrix::preRotate(float degrees) { preConcat(rotation(degrees)); }
void Matrix::preSkew(float kx, float ky, float px, float py) { preConcat(aboutPivot(skewing(kx, ky), px, py)); }
void Matrix::preSkew(float kx, float ky) { preConcat(skewing(kx, ky)); }

void Matrix::postConcat(const Matrix& other) { setConcat(other, *this); }
void Matrix::postTranslate(float dx, float dy) { postConcat(MakeTrans(dx, dy)); }
void Matrix::postScale(float sx, float sy, float px, float py) { postConcat(aboutPivot(MakeScale(sx, sy), px, py)); }
void Matrix::postScale(float sx, float sy) { postConcat(MakeScale(sx, sy)); }
void Matrix::postRotate(float degrees, float px, float py) { postConcat(aboutPivot(rotation(degrees), px, py)); }
void Matrix::postRotate(float degrees) { postConcat(rotation(degrees)); }
void Matrix::postSkew(float kx, float ky, float px, float py) { postConcat(aboutPivot(skewing(kx, ky), px, py)); }
void Matrix::postSkew(float kx, float ky) { postConcat(skewing(kx, ky)); }

bool Matrix::postIDiv(int divx, int divy) {
    if (divx == 0 || divy == 0) return false;
    postScale(1.0f / static_cast<float>(divx), 1.0f / static_cast<float>(divy));
    return true;
}

bool Matrix::setRectToRect(const Rect& src, const Rect& dst, ScaleToFit stf) {
    if (src.isEmpty()) {
        reset();
        return false;
    }
    if (dst.isEmpty()) {
        setAll(0, 0, 0, 0, 0, 0, 0, 0, 1);
        return true;
    }
    float sx = dst.width() / src.width();
    float sy = dst.height() / src.height();
    if (stf != kFill_ScaleToFit) sx = sy = sx < sy ? sx : sy;
    float share = 0;  // of the room that an aspect-keeping fit leaves free, the part in front
    if (stf == kCenter_ScaleToFit) share = 0.5f;
    if (stf == kEnd_ScaleToFit) share = 1;
    const float freeX = dst.width() - src.width() * sx;
    const float freeY = dst.height() - src.height() * sy;
    setScaleTranslate(sx, sy, dst.fLeft - src.fLeft * sx + share * freeX, dst.fTop - src.fTop * sy + share * freeY);
    return true;
}

bool Matrix::setPolyToPoly(const Point src[], const Point dst[], int count) {
    if (count < 0 || count > 4) return false;
    if (count == 0) {
        reset();
        return true;
    }
    Matrix3d from, to, back;
    if (!basisOf(src, count, &from) || !basisOf(dst, count, &to) || !invertTo(from, &back)) return false;
    Matrix3d result = multiply(to, back);
    if (result.m[8] != 0) {
        const double w = result.m[8];
        for (double& v : result.m) v /= w;
    }
    *this = narrow(result);
    return true;
}

bool Matrix::invert(Matrix* inverse) const {
    Matrix3d result;
    if (!invertTo(widen(*this), &result)) return false;
    if (inverse) *inverse = narrow(result);
    return true;
}

void Matrix::SetAffineIdentity(float affine[6]) {
    const float identity[6] = {1, 0, 0, 1, 0, 0};
    memcpy(affine, identity, sizeof(identity));
}

bool Matrix::asAffine(float affine[6]) const {
    if (getType() & kPerspective_Mask) return false;
    if (affine) {
        affine[kAScaleX] = fMat[kMScaleX];
        affine[kASkewY] = fMat[kMSkewY];
        affine[kASkewX] = fMat[kMSkewX];
        affine[kAScaleY] = fMat[kMScaleY];
        affine[kATransX] = fMat[kMTransX];
        affine[kATransY] = fMat[kMTransY];
    }
    return true;
}

void Matrix::setAffine(const float affine[6]) {
    setAll(affine[kAScaleX], affine[kASkewX], affine[kATransX], affine[kASkewY], affine[kAScaleY], affine[kATransY], 0,
           0, 1);
}

void Matrix::mapXY(float x, float y, Point* result) const {
    const float* m = fMat;
    const float mappedX = m[0] * x + m[1] * y + m[2];
    const float mappedY = m[3] * x + m[4] * y + m[5];
    if (!(getType() & kPerspective_Mask)) {
        result->set(mappedX, mappedY);
        return;
    }
    const float w = m[6] * x + m[7] * y + m[8];
    const float scale = w != 0 ? 1 / w : 0;
    result->set(mappedX * scale, mappedY * scale);
}

void Matrix::mapPoints(Point dst[], const Point src[], int count) const {
    for (int i = 0; i < count; ++i) mapXY(src[i].fX, src[i].fY, &dst[i]);
}

bool Matrix::mapRect(Rect* dst, const Rect& src) const {
    if (isScaleTranslate()) {
        mapRectScaleTranslate(dst, src);
        return rectStaysRect();
    }
    const Point corners[4] = {mapXY(src.fLeft, src.fTop), mapXY(src.fRight, src.fTop), mapXY(src.fRight, src.fBottom),
                              mapXY(src.fLeft, src.fBottom)};
    Rect bounds = Rect::MakeLTRB(corners[0].fX, corners[0].fY, corners[0].fX, corners[0].fY);
    for (const Point& p : corners) bounds.joinPossiblyEmptyRect(Rect::MakeLTRB(p.fX, p.fY, p.fX, p.fY));
    *dst = bounds;
    return rectStaysRect();
}

void Matrix::mapRectScaleTranslate(Rect* dst, const Rect& src) const {
    const float sx = fMat[kMScaleX], sy = fMat[kMScaleY], tx = fMat[kMTransX], ty = fMat[kMTransY];
    dst->setLTRB(src.fLeft * sx + tx, src.fTop * sy + ty, src.fRight * sx + tx, src.fBottom * sy + ty);
    dst->sort();
}

bool operator==(const Matrix& a, const Matrix& b) {
    for (int i = 0; i < 9; ++i) {
        if (a.fMat[i] != b.fMat[i]) return false;
    }
    return true;
}

void Matrix::dump() const {
    MNN_PRINT("[%9.4f %9.4f %9.4f][%9.4f %9.4f %9.4f][%9.4f %9.4f %9.4f]\n", fMat[0], fMat[1], fMat[2], fMat[3],
              fMat[4], fMat[5], fMat[6], fMat[7], fMat[8]);
}

// The factors are the singular values of the upper left 2x2 part.
bool Matrix::getMinMaxScales(float scaleFactors[2]) const {
    if (getType() & kPerspective_Mask) return false;
    const double sx = fMat[kMScaleX], kx = fMat[kMSkewX], ky = fMat[kMSkewY], sy = fMat[kMScaleY];
    const double a = sx * sx + ky * ky, b = sx * kx + ky * sy, c = kx * kx + sy * sy;
    const double middle = (a + c) / 2, radius = std::sqrt((a - c) * (a - c) / 4 + b * b);
    if (!std::isfinite(middle) || !std::isfinite(radius)) return false;
    const double smallest = middle - radius;
    scaleFactors[0] = static_cast<float>(std::sqrt(smallest > 0 ? smallest : 0));
    scaleFactors[1] = static_cast<float>(std::sqrt(middle + radius));
    return true;
}

float Matrix::getMinScale() const {
    float factors[2];
    return getMinMaxScales(factors) ? factors[0] : -1;
}

float Matrix::getMaxScale() const {
    float factors[2];
    return getMinMaxScales(factors) ? factors[1] : -1;
}

const Matrix& Matrix::I() {
    static const Matrix identity;
    return identity;
}

const Matrix& Matrix::InvalidMatrix() {
    static const Matrix invalid =
        MakeAll(FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX);
    return invalid;
}

}  // namespace CV
}  // namespace MNN
