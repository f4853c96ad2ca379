// Matrix: a 3x3 transform of points in the plane.
#ifndef MNN_MATRIX_H
#define MNN_MATRIX_H

#include <stdint.h>
#include <string.h>
#include <MNN/MNNDefine.h>
#include <MNN/Rect.h>

namespace MNN {
namespace CV {

/// A 3x3 matrix that maps points as column vectors:
///
///     | scaleX  skewX   transX |   | x |   | x' |
///     | skewY   scaleY  transY | * | y | = | y' |      the point is (x'/w', y'/w')
///     | persp0  persp1  persp2 |   | 1 |   | w' |
///
/// y grows downwards, so positive angles turn clockwise. "pre" members multiply from the right (the new step is
/// applied to points first), "post" members from the left (applied last). Const members are safe to call from several
/// threads.
class MNN_PUBLIC Matrix {
public:
    /// Identity.
    Matrix() { reset(); }

    static Matrix MakeScale(float sx, float sy) {
        Matrix m;
        m.setScale(sx, sy);
        return m;
    }
    static Matrix MakeScale(float scale) { return MakeScale(scale, scale); }
    static Matrix MakeTrans(float dx, float dy) {
        Matrix m;
        m.setTranslate(dx, dy);
        return m;
    }
    /// From nine values in row order.
    static Matrix MakeAll(float scaleX, float skewX, float transX, float skewY, float scaleY, float transY, float pers0,
                          float pers1, float pers2) {
        Matrix m;
        m.setAll(scaleX, skewX, transX, skewY, scaleY, transY, pers0, pers1, pers2);
        return m;
    }

    /// What a matrix does; bits that combine.
    enum TypeMask {
        kIdentity_Mask = 0,        ///< Nothing.
        kTranslate_Mask = 0x01,    ///< Moves.
        kScale_Mask = 0x02,        ///< Scales.
        kAffine_Mask = 0x04,       ///< Skews or rotates.
        kPerspective_Mask = 0x08,  ///< Has a last row other than 0 0 1.
    };
    /// The bits that apply. A skewing matrix also has kScale_Mask, and a perspective one has all bits.
    TypeMask getType() const;

    bool isIdentity() const { return getType() == kIdentity_Mask; }
    /// True when it only scales and moves, or does less.
    bool isScaleTranslate() const { return (getType() & ~(kScale_Mask | kTranslate_Mask)) == 0; }
    /// True when it only moves, or is the identity.
    bool isTranslate() const { return (getType() & ~kTranslate_Mask) == 0; }
    /// True when every rectangle with area maps to a rectangle with area and edges along the axes.
    bool rectStaysRect() const;
    /// The same.
    bool preservesAxisAlignment() const { return rectStaysRect(); }

    /// Indices of the nine values.
    static constexpr int kMScaleX = 0;
    static constexpr int kMSkewX = 1;
    static constexpr int kMTransX = 2;
    static constexpr int kMSkewY = 3;
    static constexpr int kMScaleY = 4;
    static constexpr int kMTransY = 5;
    static constexpr int kMPersp0 = 6;
    static constexpr int kMPersp1 = 7;
    static constexpr int kMPersp2 = 8;

    /// Indices of the six values of an affine array, which goes by columns.
    static constexpr int kAScaleX = 0;
    static constexpr int kASkewY = 1;
    static constexpr int kASkewX = 2;
    static constexpr int kAScaleY = 3;
    static constexpr int kATransX = 4;
    static constexpr int kATransY = 5;

    /// One value; index is one of kM*, and is not checked.
    float operator[](int index) const { return fMat[index]; }
    float get(int index) const { return fMat[index]; }
    float getScaleX() const { return fMat[kMScaleX]; }
    float getScaleY() const { return fMat[kMScaleY]; }
    float getSkewY() const { return fMat[kMSkewY]; }
    float getSkewX() const { return fMat[kMSkewX]; }
    float getTranslateX() const { return fMat[kMTransX]; }
    float getTranslateY() const { return fMat[kMTransY]; }
    float getPerspX() const { return fMat[kMPersp0]; }
    float getPerspY() const { return fMat[kMPersp1]; }

    /// Writes one value; index is one of kM*, and is not checked.
    float& operator[](int index) { return fMat[index]; }
    void set(int index, float value) { fMat[index] = value; }
    void setScaleX(float v) { set(kMScaleX, v); }
    void setScaleY(float v) { set(kMScaleY, v); }
    void setSkewY(float v) { set(kMSkewY, v); }
    void setSkewX(float v) { set(kMSkewX, v); }
    void setTranslateX(float v) { set(kMTransX, v); }
    void setTranslateY(float v) { set(kMTransY, v); }
    void setPerspX(float v) { set(kMPersp0, v); }
    void setPerspY(float v) { set(kMPersp1, v); }
    /// Writes all nine values, in row order.
    void setAll(float scaleX, float skewX, float transX, float skewY, float scaleY, float transY, float persp0,
                float persp1, float persp2);
    /// Copies the nine values out or in, in row order.
    void get9(float buffer[9]) const { memcpy(buffer, fMat, sizeof(fMat)); }
    void set9(const float buffer[9]) { memcpy(fMat, buffer, sizeof(fMat)); }

    /// To the identity.
    void reset() { setAll(1, 0, 0, 0, 1, 0, 0, 0, 1); }
    void setIdentity() { reset(); }
    /// To a translation.
    void setTranslate(float dx, float dy) { setAll(1, 0, dx, 0, 1, dy, 0, 0, 1); }
    /// To a scale, about the pivot (px, py) or the origin.
    void setScale(float sx, float sy, float px, float py);
    void setScale(float sx, float sy) { setAll(sx, 0, 0, 0, sy, 0, 0, 0, 1); }
    /// To a rotation in degrees, about the pivot (px, py) or the origin.
    void setRotate(float degrees, float px, float py);
    void setRotate(float degrees);
    /// To a rotation given by sine and cosine (scaling too when their squares do not sum to 1).
    void setSinCos(float sinValue, float cosValue, float px, float py);
    void setSinCos(float sinValue, float cosValue);
    /// To a skew: x' = x + kx * y, y' = y + ky * x, about the pivot (px, py) or the origin.
    void setSkew(float kx, float ky, float px, float py);
    void setSkew(float kx, float ky) { setAll(1, kx, 0, ky, 1, 0, 0, 0, 1); }
    /// To a * b, which applies b first. Either may be this matrix.
    void setConcat(const Matrix& a, const Matrix& b);

    /// this = this * step.
    void preTranslate(float dx, float dy);
    void preScale(float sx, float sy, float px, float py);
    void preScale(float sx, float sy);
    void preRotate(float degrees, float px, float py);
    void preRotate(float degrees);
    void preSkew(float kx, float ky, float px, float py);
    void preSkew(float kx, float ky);
    void preConcat(const Matrix& other);
    /// this = step * this.
    void postTranslate(float dx, float dy);
    void postScale(float sx, float sy, float px, float py);
    void postScale(float sx, float sy);
    /// postScale(1 / divx, 1 / divy). False, leaving the matrix alone, when a divisor is 0.
    bool postIDiv(int divx, int divy);
    void postRotate(float degrees, float px, float py);
    void postRotate(float degrees);
    void postSkew(float kx, float ky, float px, float py);
    void postSkew(float kx, float ky);
    void postConcat(const Matrix& other);

    /// How setRectToRect treats aspect ratio.
    enum ScaleToFit {
        kFill_ScaleToFit,    ///< Fill dst, each axis scaled on its own.
        kStart_ScaleToFit,   ///< Keep the ratio; align with the left or top of dst.
        kCenter_ScaleToFit,  ///< Keep the ratio; centre in dst.
        kEnd_ScaleToFit,     ///< Keep the ratio; align with the right or bottom of dst.
    };
    /// To the scale and translation that map src onto dst. False and identity when src is empty; when dst is empty,
    /// true and a matrix that maps everything to the point (0, 0).
    bool setRectToRect(const Rect& src, const Rect& dst, ScaleToFit stf);
    static Matrix MakeRectToRect(const Rect& src, const Rect& dst, ScaleToFit stf) {
        Matrix m;
        m.setRectToRect(src, dst, stf);
        return m;
    }

    /// To the matrix that maps `count` points of src to those of dst: 0 identity, 1 translation, 2 rotation with
    /// uniform scale, 3 affine, 4 perspective. False, leaving the matrix alone, when count is another number or the
    /// points are degenerate (coincide or lie on a line).
    bool setPolyToPoly(const Point src[], const Point dst[], int count);

    /// Writes the inverse to *inverse (nullptr: only asks; may be this). False, writing nothing, when it has none.
    bool invert(Matrix* inverse) const;

    /// Fills a column-order affine array with the identity.
    static void SetAffineIdentity(float affine[6]);
    /// Copies the top two rows out (nullptr: only asks). False, writing nothing, when the matrix has perspective.
    bool asAffine(float affine[6]) const;
    /// Sets the top two rows, and the last row to 0 0 1.
    void setAffine(const float affine[6]);

    /// Maps `count` points; dst and src may be the same array. With perspective, a point at infinity (w' = 0) gives 0,
    /// 0.
    void mapPoints(Point dst[], const Point src[], int count) const;
    void mapPoints(Point pts[], int count) const { mapPoints(pts, pts, count); }
    void mapXY(float x, float y, Point* result) const;
    Point mapXY(float x, float y) const {
        Point result;
        mapXY(x, y, &result);
        return result;
    }

    /// The bounds of the four mapped corners, ordered. Returns rectStaysRect().
    bool mapRect(Rect* dst, const Rect& src) const;
    bool mapRect(Rect* rect) const { return mapRect(rect, *rect); }
    Rect mapRect(const Rect& src) const {
        Rect dst;
        mapRect(&dst, src);
        return dst;
    }
    /// mapRect for a matrix known to be isScaleTranslate().
    void mapRectScaleTranslate(Rect* dst, const Rect& src) const;

    /// True when the nine values have the same bits.
    bool cheapEqualTo(const Matrix& m) const { return memcmp(fMat, m.fMat, sizeof(fMat)) == 0; }
    /// True when the nine values compare equal: 0 equals -0, NaN equals nothing.
    friend MNN_PUBLIC bool operator==(const Matrix& a, const Matrix& b);
    friend MNN_PUBLIC bool operator!=(const Matrix& a, const Matrix& b) { return !(a == b); }

    /// Logs the nine values.
    void dump() const;

    /// The smallest and largest factor by which lengths change; -1 (or false) when the matrix has perspective or values
    /// that are not finite.
    float getMinScale() const;
    float getMaxScale() const;
    /// scaleFactors[0] is the smallest, scaleFactors[1] the largest.
    bool getMinMaxScales(float scaleFactors[2]) const;

    /// A shared identity; a shared matrix of largest floats, which marks "none".
    static const Matrix& I();
    static const Matrix& InvalidMatrix();

    /// a * b, which applies b first.
    static Matrix Concat(const Matrix& a, const Matrix& b) {
        Matrix result;
        result.setConcat(a, b);
        return result;
    }

    /// For code that writes through a kept reference of operator[]. The type is worked out afresh on each question, so
    /// there is nothing to do.
    void dirtyMatrixTypeCache() {}

    /// To a scale followed by a translation.
    void setScaleTranslate(float sx, float sy, float tx, float ty) { setAll(sx, 0, tx, 0, sy, ty, 0, 0, 1); }

private:
    float fMat[9];
};

MNN_PUBLIC bool operator==(const Matrix& a, const Matrix& b);

}  // namespace CV
}  // namespace MNN

#endif
