// Matrix against brute-force 3x3 arithmetic in double.
#include <MNN/Matrix.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace MNN {
namespace CV {
namespace {

using M3 = std::array<double, 9>;

M3 of(const Matrix& m) {
    M3 v;
    for (int i = 0; i < 9; ++i) v[i] = m[i];
    return v;
}

M3 mul(const M3& a, const M3& b) {
    M3 c{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) c[i * 3 + j] += a[i * 3 + k] * b[k * 3 + j];
    return c;
}

M3 translation(double x, double y) { return {1, 0, x, 0, 1, y, 0, 0, 1}; }
M3 scale(double x, double y) { return {x, 0, 0, 0, y, 0, 0, 0, 1}; }
M3 skew(double x, double y) { return {1, x, 0, y, 1, 0, 0, 0, 1}; }
M3 rotation(double degrees) {
    const double r = degrees * std::acos(-1.0) / 180, s = std::sin(r), c = std::cos(r);
    return {c, -s, 0, s, c, 0, 0, 0, 1};
}
M3 pivoted(const M3& m, double px, double py) { return mul(translation(px, py), mul(m, translation(-px, -py))); }

void expectNear(const Matrix& got, const M3& want, double tolerance = 1e-4) {
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(got[i], want[i], tolerance * (1 + std::fabs(want[i]))) << "value " << i;
}

Matrix randomMatrix(std::mt19937& random, bool perspective) {
    std::uniform_real_distribution<float> value(-2, 2);
    Matrix m;
    for (int i = 0; i < 6; ++i) m[i] = value(random);
    if (perspective) m.setAll(m[0], m[1], m[2], m[3], m[4], m[5], value(random) / 8, value(random) / 8, 1.5f);
    return m;
}

TEST(Matrix, StartsAsIdentityAndNamesItsValues) {
    Matrix m;
    EXPECT_TRUE(m.isIdentity());
    EXPECT_TRUE(m == Matrix::I());
    m.setAll(1, 2, 3, 4, 5, 6, 7, 8, 9);
    EXPECT_EQ(m.getScaleX(), 1);
    EXPECT_EQ(m.getSkewX(), 2);
    EXPECT_EQ(m.getTranslateX(), 3);
    EXPECT_EQ(m.getSkewY(), 4);
    EXPECT_EQ(m.getScaleY(), 5);
    EXPECT_EQ(m.getTranslateY(), 6);
    EXPECT_EQ(m.getPerspX(), 7);
    EXPECT_EQ(m.getPerspY(), 8);
    EXPECT_EQ(m.get(Matrix::kMPersp2), 9);
    float values[9];
    m.get9(values);
    Matrix copy;
    copy.set9(values);
    EXPECT_TRUE(copy.cheapEqualTo(m));
    EXPECT_TRUE(copy != Matrix::InvalidMatrix());
}

TEST(Matrix, EqualityIsByValueAndCheapEqualityByBits) {
    Matrix zero = Matrix::MakeTrans(0.0f, 0), minus = Matrix::MakeTrans(-0.0f, 0);
    EXPECT_TRUE(zero == minus);
    EXPECT_FALSE(zero.cheapEqualTo(minus));
    Matrix nan = Matrix::MakeTrans(std::numeric_limits<float>::quiet_NaN(), 0);
    EXPECT_TRUE(nan != nan);
    EXPECT_TRUE(nan.cheapEqualTo(nan));
}

TEST(Matrix, TypeFollowsValues) {
    EXPECT_EQ(Matrix::MakeTrans(1, 0).getType(), Matrix::kTranslate_Mask);
    EXPECT_EQ(Matrix::MakeScale(2).getType(), Matrix::kScale_Mask);
    Matrix m;
    m.setSkew(0.5f, 0);
    EXPECT_EQ(m.getType(), Matrix::kAffine_Mask | Matrix::kScale_Mask);
    m[Matrix::kMPersp0] = 0.1f;
    EXPECT_TRUE(m.getType() & Matrix::kPerspective_Mask);
    m.reset();
    EXPECT_TRUE(m.isIdentity() && m.isTranslate() && m.isScaleTranslate());
}

TEST(Matrix, QuarterTurnsKeepRectangles) {
    for (int degrees = -360; degrees <= 720; degrees += 45) {
        Matrix m;
        m.setRotate(static_cast<float>(degrees), 3, 4);
        EXPECT_EQ(m.rectStaysRect(), degrees % 90 == 0) << degrees;
        EXPECT_EQ(m.preservesAxisAlignment(), m.rectStaysRect());
    }
    EXPECT_FALSE(Matrix::MakeScale(0, 1).rectStaysRect());
}

TEST(Matrix, SetMembersMatchTheirDefinition) {
    Matrix m;
    m.setScale(2, 3, 5, 7);
    expectNear(m, pivoted(scale(2, 3), 5, 7));
    m.setRotate(30);
    expectNear(m, rotation(30));
    m.setRotate(-70, 5, 7);
    expectNear(m, pivoted(rotation(-70), 5, 7));
    m.setSinCos(0.6f, 0.8f, 1, 2);
    expectNear(m, pivoted({0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1}, 1, 2));
    m.setSinCos(0.6f, 0.8f);
    expectNear(m, {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1});
    m.setSkew(0.2f, -0.4f, 5, 7);
    expectNear(m, pivoted(skew(0.2, -0.4), 5, 7));
    m.setScaleTranslate(2, 3, 4, 5);
    expectNear(m, {2, 0, 4, 0, 3, 5, 0, 0, 1});
}

TEST(Matrix, PreMultipliesFromTheRightAndPostFromTheLeft) {
    std::mt19937 random(1);
    using Step = void (*)(Matrix&);
    struct Case {
        Step pre, post;
        M3 step;
    };
    const Case cases[] = {
        {[](Matrix& m) { m.preTranslate(3, -2); }, [](Matrix& m) { m.postTranslate(3, -2); }, translation(3, -2)},
        {[](Matrix& m) { m.preScale(3, -2); }, [](Matrix& m) { m.postScale(3, -2); }, scale(3, -2)},
        {[](Matrix& m) { m.preScale(3, 2, 1, 4); }, [](Matrix& m) { m.postScale(3, 2, 1, 4); },
         pivoted(scale(3, 2), 1, 4)},
        {[](Matrix& m) { m.preRotate(33); }, [](Matrix& m) { m.postRotate(33); }, rotation(33)},
        {[](Matrix& m) { m.preRotate(33, 1, 4); }, [](Matrix& m) { m.postRotate(33, 1, 4); },
         pivoted(rotation(33), 1, 4)},
        {[](Matrix& m) { m.preSkew(0.3f, 2); }, [](Matrix& m) { m.postSkew(0.3f, 2); }, skew(0.3, 2)},
        {[](Matrix& m) { m.preSkew(0.3f, 2, 1, 4); }, [](Matrix& m) { m.postSkew(0.3f, 2, 1, 4); },
         pivoted(skew(0.3, 2), 1, 4)},
    };
    for (int round = 0; round < 20; ++round) {
        const Matrix start = randomMatrix(random, round % 2 == 1);
        for (const Case& c : cases) {
            Matrix pre = start, post = start;
            c.pre(pre);
            c.post(post);
            expectNear(pre, mul(of(start), c.step));
            expectNear(post, mul(c.step, of(start)));
        }
        const Matrix other = randomMatrix(random, true);
        Matrix self = start;
        self.setConcat(self, other);
        expectNear(self, mul(of(start), of(other)));
        expectNear(Matrix::Concat(other, start), mul(of(other), of(start)));
    }
    Matrix divided = Matrix::MakeTrans(6, 8);
    EXPECT_FALSE(divided.postIDiv(0, 1));
    EXPECT_TRUE(divided.postIDiv(2, 4));
    expectNear(divided, mul(scale(0.5, 0.25), translation(6, 8)));
}

TEST(Matrix, InverseUndoesAndSingularHasNone) {
    std::mt19937 random(2);
    for (int round = 0; round < 200; ++round) {
        const Matrix m = randomMatrix(random, round % 2 == 1);
        Matrix inverse = m;
        if (!inverse.invert(&inverse)) continue;
        const M3 product = mul(of(inverse), of(m));
        for (int i = 0; i < 9; ++i) EXPECT_NEAR(product[i], i % 4 == 0 ? 1 : 0, 2e-2);
    }
    Matrix untouched = Matrix::MakeTrans(1, 2);
    EXPECT_FALSE(Matrix::MakeAll(1, 2, 0, 2, 4, 0, 0, 0, 1).invert(&untouched));
    EXPECT_TRUE(untouched == Matrix::MakeTrans(1, 2));
    EXPECT_FALSE(Matrix::MakeScale(std::numeric_limits<float>::infinity()).invert(nullptr));
    EXPECT_TRUE(Matrix::MakeScale(1e-6f).invert(nullptr));
}

TEST(Matrix, MapsPointsAndRectangles) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        const Matrix m = randomMatrix(random, round % 2 == 1);
        const Point in[3] = {{0, 0}, {1, 0.5f}, {-0.5f, 2}};
        Point out[3] = {in[0], in[1], in[2]};
        m.mapPoints(out, 3);
        for (int i = 0; i < 3; ++i) {
            const double w = m[6] * in[i].fX + m[7] * in[i].fY + m[8];
            EXPECT_NEAR(out[i].fX, (m[0] * in[i].fX + m[1] * in[i].fY + m[2]) / w, 1e-3);
            EXPECT_NEAR(out[i].fY, (m[3] * in[i].fX + m[4] * in[i].fY + m[5]) / w, 1e-3);
        }
        const Rect r = Rect::MakeLTRB(0, 0, 2, 1);
        const Rect bounds = m.mapRect(r);
        EXPECT_TRUE(bounds.isSorted());
        for (float x : {0.0f, 2.0f}) {
            for (float y : {0.0f, 1.0f}) {
                const Point p = m.mapXY(x, y);
                EXPECT_TRUE(p.fX >= bounds.fLeft && p.fX <= bounds.fRight && p.fY >= bounds.fTop &&
                            p.fY <= bounds.fBottom);
            }
        }
    }
    const Matrix atInfinity = Matrix::MakeAll(1, 0, 0, 0, 1, 0, 0, 0, 0);
    EXPECT_EQ(atInfinity.mapXY(5, 5).fX, 0);
    Rect flipped = Rect::MakeLTRB(1, 2, 3, 4);
    EXPECT_TRUE(Matrix::MakeScale(-1, 2).mapRect(&flipped));
    EXPECT_EQ(flipped.fLeft, -3);
    EXPECT_EQ(flipped.fBottom, 8);
}

TEST(Matrix, AffineArrayGoesByColumns) {
    const Matrix m = Matrix::MakeAll(1, 2, 3, 4, 5, 6, 0, 0, 1);
    float affine[6];
    ASSERT_TRUE(m.asAffine(affine));
    const float want[6] = {1, 4, 2, 5, 3, 6};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(affine[i], want[i]);
    Matrix back;
    back.setAffine(affine);
    EXPECT_TRUE(back == m);
    Matrix::SetAffineIdentity(affine);
    back.setAffine(affine);
    EXPECT_TRUE(back.isIdentity());
    EXPECT_FALSE(Matrix::MakeAll(1, 0, 0, 0, 1, 0, 1, 0, 1).asAffine(nullptr));
}

TEST(Matrix, RectToRectFits) {
    const Rect src = Rect::MakeXYWH(10, 20, 100, 50), dst = Rect::MakeXYWH(1, 2, 50, 100);
    const Rect filled = Matrix::MakeRectToRect(src, dst, Matrix::kFill_ScaleToFit).mapRect(src);
    EXPECT_FLOAT_EQ(filled.fLeft, 1);
    EXPECT_FLOAT_EQ(filled.fBottom, 102);
    const struct {
        Matrix::ScaleToFit fit;
        float top;
    } cases[] = {{Matrix::kStart_ScaleToFit, 2}, {Matrix::kCenter_ScaleToFit, 39.5f}, {Matrix::kEnd_ScaleToFit, 77}};
    for (const auto& c : cases) {
        const Rect fitted = Matrix::MakeRectToRect(src, dst, c.fit).mapRect(src);
        EXPECT_FLOAT_EQ(fitted.fTop, c.top);
        EXPECT_FLOAT_EQ(fitted.height(), 25);
        EXPECT_FLOAT_EQ(fitted.width(), 50);
    }
    Matrix m;
    EXPECT_FALSE(m.setRectToRect(Rect::MakeEmpty(), dst, Matrix::kFill_ScaleToFit));
    EXPECT_TRUE(m.isIdentity());
    EXPECT_TRUE(m.setRectToRect(src, Rect::MakeEmpty(), Matrix::kFill_ScaleToFit));
    EXPECT_EQ(m.mapXY(7, 7).fX, 0);
}

TEST(Matrix, PolyToPolyHitsEveryPoint) {
    const Point src[4] = {{0, 0}, {10, 1}, {11, 9}, {-1, 8}};
    const Point dst[4] = {{3, 4}, {20, 2}, {25, 30}, {1, 22}};
    for (int count = 0; count <= 4; ++count) {
        Matrix m;
        ASSERT_TRUE(m.setPolyToPoly(src, dst, count)) << count;
        for (int i = 0; i < count; ++i) {
            const Point p = m.mapXY(src[i].fX, src[i].fY);
            EXPECT_NEAR(p.fX, dst[i].fX, 1e-3) << count;
            EXPECT_NEAR(p.fY, dst[i].fY, 1e-3) << count;
        }
        EXPECT_EQ((m.getType() & Matrix::kPerspective_Mask) != 0, count == 4);
    }
    Matrix m = Matrix::MakeTrans(1, 1);
    const Point line[4] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
    EXPECT_FALSE(m.setPolyToPoly(line, dst, 3));
    EXPECT_FALSE(m.setPolyToPoly(line, dst, 4));
    EXPECT_FALSE(m.setPolyToPoly(src, dst, 5));
    EXPECT_TRUE(m == Matrix::MakeTrans(1, 1));
}

TEST(Matrix, ScaleFactorsBoundEveryDirection) {
    std::mt19937 random(4);
    for (int round = 0; round < 50; ++round) {
        const Matrix m = randomMatrix(random, false);
        float factors[2];
        ASSERT_TRUE(m.getMinMaxScales(factors));
        double least = 1e9, most = 0;
        for (int degree = 0; degree < 360; ++degree) {
            const double r = degree * std::acos(-1.0) / 180, x = std::cos(r), y = std::sin(r);
            const double length = std::hypot(m[0] * x + m[1] * y, m[3] * x + m[4] * y);
            least = std::min(least, length);
            most = std::max(most, length);
        }
        EXPECT_NEAR(factors[0], least, 0.05);
        EXPECT_NEAR(factors[1], most, 0.05);
        EXPECT_EQ(m.getMinScale(), factors[0]);
        EXPECT_EQ(m.getMaxScale(), factors[1]);
    }
    EXPECT_EQ(Matrix::MakeAll(1, 0, 0, 0, 1, 0, 1, 0, 1).getMaxScale(), -1);
}

TEST(Rect, EdgesAndUnions) {
    Rect r = Rect::MakeXYWH(1, 2, 3, 4);
    EXPECT_EQ(r.width(), 3);
    EXPECT_EQ(r.centerY(), 4);
    EXPECT_TRUE(r.contains(1, 2));
    EXPECT_FALSE(r.contains(4, 2));
    EXPECT_TRUE(r.intersects(3, 5, 9, 9));
    EXPECT_FALSE(r.intersects(4, 2, 9, 9));
    EXPECT_FALSE(r.intersects(Rect::MakeEmpty()));
    r.inset(1, 1);
    r.offsetTo(0, 0);
    EXPECT_EQ(r.fRight, 1);
    EXPECT_EQ(r.asScalars()[3], 2);
    Rect joined = Rect::MakeEmpty();
    joined.joinNonEmptyArg(Rect::MakeLTRB(5, 5, 6, 6));
    joined.joinNonEmptyArg(Rect::MakeLTRB(1, 7, 2, 9));
    EXPECT_EQ(joined.fLeft, 1);
    EXPECT_EQ(joined.fTop, 5);
    EXPECT_EQ(joined.fBottom, 9);
    joined.setLTRB(4, 4, 1, 1);
    EXPECT_TRUE(joined.isEmpty());
    EXPECT_FALSE(joined.isSorted());
    joined.sort();
    EXPECT_TRUE(joined.isSorted());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(Rect::MakeLTRB(nan, 0, 1, 1).isEmpty());
}

}  // namespace
}  // namespace CV
}  // namespace MNN
