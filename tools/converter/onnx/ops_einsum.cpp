// Einsum, contracted pair by pair from the left. A label is one character; the axes of an ellipsis get characters of
// their own, counted from the right as broadcasting does.
#include <algorithm>

#include "onnx/Families.hpp"
#include "onnx/Formulas.hpp"

namespace MNN {
namespace Converter {

namespace {

struct Term {
    Value value = kNone;
    std::string labels;  // one an axis
};

bool contains(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

std::string withoutSpaces(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

// The text of one operand with its ellipsis spelled out for `rank` axes (-1: an output, which takes `ellipsis` axes).
std::string spell(const Node& n, const std::string& text, int rank, int& ellipsis) {
    const size_t dots = text.find("...");
    for (char c : text) {
        if (!std::isalpha(static_cast<unsigned char>(c)) && c != '.')
            n.fail("equation holds '" + std::string(1, c) + "'");
    }
    const int named = static_cast<int>(text.size()) - (dots == std::string::npos ? 0 : 3);
    if (dots == std::string::npos) {
        if (contains(text, '.')) n.fail("equation has a '.' that is not part of an ellipsis");
        if (rank >= 0 && named != rank)
            n.fail("operand '" + text + "' has " + std::to_string(named) + " labels for " + std::to_string(rank) +
                   " axes");
        return text;
    }
    const int covered = rank >= 0 ? rank - named : ellipsis;
    if (covered < 0 || covered > 30) n.fail("operand '" + text + "' has more labels than axes");
    ellipsis = std::max(ellipsis, covered);
    std::string axes;
    for (int i = covered; i > 0; --i) axes.push_back(static_cast<char>(i));
    return text.substr(0, dots) + axes + text.substr(dots + 3);
}

// Without "->" the output has the ellipsis first, then every label that appears once, in alphabetical order.
std::string impliedOutput(const std::vector<Term>& terms, int ellipsis) {
    std::string all, out;
    for (int i = ellipsis; i > 0; --i) out.push_back(static_cast<char>(i));
    for (const Term& t : terms) all += t.labels;
    std::string sorted = all;
    std::sort(sorted.begin(), sorted.end());
    for (char c : sorted) {
        if (std::isalpha(static_cast<unsigned char>(c)) && std::count(all.begin(), all.end(), c) == 1) out.push_back(c);
    }
    return out;
}

// A label used twice in a term reads the diagonal: what lies off it becomes 0, then one of the axes is summed away.
void takeDiagonals(Builder& b, Term& t) {
    for (size_t i = 0; i < t.labels.size(); ++i) {
        for (size_t j = t.labels.size(); j-- > i + 1;) {
            if (t.labels[j] != t.labels[i]) continue;
            std::vector<int> dims(t.labels.size(), 1);
            dims[i] = -1;
            const Value rows = b.reshape(axisPositions(b, t.value, static_cast<int>(i)), dims);
            dims[i] = 1;
            dims[j] = -1;
            const Value columns = b.reshape(axisPositions(b, t.value, static_cast<int>(j)), dims);
            const Value on = b.binary(BinaryOpOperation_EQUAL, rows, columns);
            t.value =
                b.reduce(ReductionType_SUM, b.select(on, t.value, b.like(t.value, 0)), {static_cast<int>(j)}, false);
            t.labels.erase(j, 1);
        }
    }
}

void sumOut(Builder& b, Term& t, const std::string& keep) {
    std::vector<int> axes;
    std::string left;
    for (size_t i = 0; i < t.labels.size(); ++i) {
        if (contains(keep, t.labels[i]))
            left.push_back(t.labels[i]);
        else
            axes.push_back(static_cast<int>(i));
    }
    if (!axes.empty()) t.value = b.reduce(ReductionType_SUM, t.value, axes, false);
    t.labels = left;
}

// The term with its axes in this order; labels it lacks become axes of 1.
Value arranged(Builder& b, const Term& t, const std::string& order) {
    std::vector<int> perm, missing;
    for (size_t i = 0; i < order.size(); ++i) {
        const size_t at = t.labels.find(order[i]);
        if (at == std::string::npos)
            missing.push_back(static_cast<int>(i));
        else
            perm.push_back(static_cast<int>(at));
    }
    Value v = perm == iota(0, static_cast<int>(perm.size())) ? t.value : b.permute(t.value, perm);
    return missing.empty() ? v : b.unsqueeze(v, missing);
}

// Axes [at, at + count) as one; none becomes an axis of 1.
Value merged(Builder& b, Value v, int at, int count) {
    if (count == 0) return b.unsqueeze(v, {at});
    if (count == 1) return v;
    FlattenT param;
    param.axis = at;
    param.endAxis = at + count - 1;
    return b.op(OpType_Flatten, std::move(param), {v});
}

Value sizesOf(Builder& b, const Term& t, const std::string& labels) {
    std::vector<int> axes;
    for (char c : labels) axes.push_back(static_cast<int>(t.labels.find(c)));
    return b.gather(b.shapeOf(t.value), b.ints(axes), 0);
}

Term multiply(Builder& b, const Term& x, const Term& y, const std::string& order) {
    return {b.mul(arranged(b, x, order), arranged(b, y, order)), order};
}

// [batch, rows, summed] x [batch, summed, columns]
Term contract(Builder& b, Term x, Term y, const std::string& keep) {
    sumOut(b, x, keep + y.labels);
    sumOut(b, y, keep + x.labels);
    std::string batch, summed, rows, columns;
    for (char c : x.labels) {
        if (!contains(y.labels, c))
            rows.push_back(c);
        else if (contains(keep, c))
            batch.push_back(c);
        else
            summed.push_back(c);
    }
    for (char c : y.labels) {
        if (!contains(x.labels, c)) columns.push_back(c);
    }
    if (summed.empty()) return multiply(b, x, y, batch + rows + columns);
    const int nb = static_cast<int>(batch.size()), nr = static_cast<int>(rows.size());
    const int nc = static_cast<int>(columns.size()), ns = static_cast<int>(summed.size());
    Value left = merged(b, arranged(b, x, batch + rows + summed), nb + nr, ns);
    left = merged(b, left, nb, nr);
    Value right = merged(b, arranged(b, y, batch + summed + columns), nb + ns, nc);
    right = merged(b, right, nb, ns);
    Value product = b.matmul(left, right);
    if (nr > 1 || nc > 1) {
        std::vector<Value> sizes;
        if (nb > 0) sizes.push_back(b.gather(b.shapeOf(product), b.ints(iota(0, nb)), 0));
        if (nr > 0) sizes.push_back(sizesOf(b, x, rows));
        if (nc > 0) sizes.push_back(sizesOf(b, y, columns));
        product = b.reshapeTo(product, b.concat(sizes, 0));
    } else if (nr == 0 || nc == 0) {
        std::vector<int> gone;
        if (nr == 0) gone.push_back(nb);
        if (nc == 0) gone.push_back(nb + 1);
        product = b.squeeze(product, gone);
    }
    return {product, batch + rows + columns};
}

std::vector<Term> readTerms(Node& n, const std::string& left, int& ellipsis) {
    std::vector<Term> terms;
    size_t begin = 0;
    for (size_t i = 0; i < n.inputs(); ++i) {
        const size_t end = left.find(',', begin);
        if (begin > left.size() || (end == std::string::npos) != (i + 1 == n.inputs()))
            n.fail("equation names another number of operands than the " + std::to_string(n.inputs()) + " inputs");
        terms.push_back({n.in(i), spell(n, left.substr(begin, end - begin), n.rank(i), ellipsis)});
        begin = end == std::string::npos ? left.size() + 1 : end + 1;
    }
    return terms;
}

Outputs einsum(Node& n) {
    Builder& b = n.b;
    const std::string equation = withoutSpaces(n.s("equation", ""));
    const size_t arrow = equation.find("->");
    int ellipsis = 0;
    std::vector<Term> terms = readTerms(n, equation.substr(0, arrow), ellipsis);
    const std::string out = arrow == std::string::npos ? impliedOutput(terms, ellipsis)
                                                       : spell(n, equation.substr(arrow + 2), -1, ellipsis);
    std::string known;
    for (Term& t : terms) {
        takeDiagonals(b, t);
        known += t.labels;
    }
    for (char c : out) {
        if (!contains(known, c)) n.fail("the output has a label that no operand has");
        if (std::count(out.begin(), out.end(), c) > 1) n.fail("the output repeats a label");
    }
    Term result = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) {
        std::string keep = out;
        for (size_t k = i + 1; k < terms.size(); ++k) keep += terms[k].labels;
        result = contract(b, result, terms[i], keep);
    }
    sumOut(b, result, out);
    return {arranged(b, result, out)};
}

const OpImporter kRows[] = {
    {"Einsum", 12, einsum},
};

}  // namespace

OpFamily einsumOps() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

}  // namespace Converter
}  // namespace MNN
