// Point and Rect: plain float geometry for Matrix and ImageProcess.
#ifndef MNN_RECT_H
#define MNN_RECT_H

#include <MNN/MNNDefine.h>

namespace MNN {
namespace CV {

/// A point in pixels; y grows downwards.
struct Point {
    float fX;
    float fY;

    void set(float x, float y) {
        fX = x;
        fY = y;
    }
};

/// A rectangle by its edges in pixels, left and top inclusive, right and bottom exclusive. Edges may be unordered;
/// sort() orders them.
struct MNN_PUBLIC Rect {
    float fLeft;
    float fTop;
    float fRight;
    float fBottom;

    /// All edges zero.
    static constexpr Rect MakeEmpty() { return Rect{0, 0, 0, 0}; }
    /// The largest rectangle floats can hold.
    static Rect MakeLargest() {
        const float big = 3.402823466e+38f;
        return Rect{-big, -big, big, big};
    }
    /// Size w x h at the origin.
    static constexpr Rect MakeWH(float w, float h) { return Rect{0, 0, w, h}; }
    static Rect MakeIWH(int w, int h) { return Rect{0, 0, static_cast<float>(w), static_cast<float>(h)}; }
    /// From edges, which are not ordered.
    static constexpr Rect MakeLTRB(float l, float t, float r, float b) { return Rect{l, t, r, b}; }
    /// Size w x h with its corner at x, y.
    static constexpr Rect MakeXYWH(float x, float y, float w, float h) { return Rect{x, y, x + w, y + h}; }

    /// True when width or height is not positive, or an edge is NaN.
    bool isEmpty() const { return !(fLeft < fRight && fTop < fBottom); }
    /// True when left <= right and top <= bottom.
    bool isSorted() const { return fLeft <= fRight && fTop <= fBottom; }

    float x() const { return fLeft; }
    float y() const { return fTop; }
    float left() const { return fLeft; }
    float top() const { return fTop; }
    float right() const { return fRight; }
    float bottom() const { return fBottom; }
    /// right - left; negative when unordered.
    float width() const { return fRight - fLeft; }
    /// bottom - top; negative when unordered.
    float height() const { return fBottom - fTop; }
    /// Centre, computed so that it does not overflow.
    float centerX() const { return 0.5f * fLeft + 0.5f * fRight; }
    float centerY() const { return 0.5f * fTop + 0.5f * fBottom; }

    void setEmpty() { *this = MakeEmpty(); }
    void set(float left, float top, float right, float bottom) { setLTRB(left, top, right, bottom); }
    void setLTRB(float left, float top, float right, float bottom) { *this = MakeLTRB(left, top, right, bottom); }
    void iset(int left, int top, int right, int bottom) {
        setLTRB(static_cast<float>(left), static_cast<float>(top), static_cast<float>(right),
                static_cast<float>(bottom));
    }
    void isetWH(int width, int height) { *this = MakeIWH(width, height); }
    void setXYWH(float x, float y, float width, float height) { *this = MakeXYWH(x, y, width, height); }
    void setWH(float width, float height) { *this = MakeWH(width, height); }

    /// Copies moved by (dx, dy), shrunk by it on each side, or grown by it on each side.
    Rect makeOffset(float dx, float dy) const { return MakeLTRB(fLeft + dx, fTop + dy, fRight + dx, fBottom + dy); }
    Rect makeInset(float dx, float dy) const { return MakeLTRB(fLeft + dx, fTop + dy, fRight - dx, fBottom - dy); }
    Rect makeOutset(float dx, float dy) const { return makeInset(-dx, -dy); }

    /// The same in place; offsetTo moves the corner to (newX, newY).
    void offset(float dx, float dy) { *this = makeOffset(dx, dy); }
    void offsetTo(float newX, float newY) { setLTRB(newX, newY, newX + width(), newY + height()); }
    void inset(float dx, float dy) { *this = makeInset(dx, dy); }
    void outset(float dx, float dy) { *this = makeOutset(dx, dy); }

    /// True when both rectangles are non-empty and share an area.
    bool intersects(float left, float top, float right, float bottom) const {
        return Intersects(*this, MakeLTRB(left, top, right, bottom));
    }
    bool intersects(const Rect& r) const { return Intersects(*this, r); }
    static bool Intersects(const Rect& a, const Rect& b) {
        return larger(a.fLeft, b.fLeft) < smaller(a.fRight, b.fRight) &&
               larger(a.fTop, b.fTop) < smaller(a.fBottom, b.fBottom) && !a.isEmpty() && !b.isEmpty();
    }

    /// Grows to hold r, which must not be empty; becomes r when this rectangle is empty.
    void joinNonEmptyArg(const Rect& r) {
        if (isEmpty()) {
            *this = r;
        } else {
            joinPossiblyEmptyRect(r);
        }
    }
    /// Grows to hold all edges of r, without asking whether either is empty.
    void joinPossiblyEmptyRect(const Rect& r) {
        setLTRB(smaller(fLeft, r.fLeft), smaller(fTop, r.fTop), larger(fRight, r.fRight), larger(fBottom, r.fBottom));
    }

    /// True for points inside; left and top edges belong to the rectangle, right and bottom do not.
    bool contains(float x, float y) const { return x >= fLeft && x < fRight && y >= fTop && y < fBottom; }

    /// Orders the edges so that width and height are not negative.
    void sort() { *this = makeSorted(); }
    Rect makeSorted() const {
        return MakeLTRB(smaller(fLeft, fRight), smaller(fTop, fBottom), larger(fLeft, fRight), larger(fTop, fBottom));
    }

    /// The four edges as an array: left, top, right, bottom.
    const float* asScalars() const { return &fLeft; }

private:
    // Not std::min: a Windows header may define it as a macro.
    static float smaller(float a, float b) { return a < b ? a : b; }
    static float larger(float a, float b) { return a > b ? a : b; }
};

}  // namespace CV
}  // namespace MNN

#endif
