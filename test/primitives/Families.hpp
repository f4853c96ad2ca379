// The families of primitives, one per file FamilyCases.cpp.
#ifndef MNN_PRIMITIVES_FAMILIES_HPP
#define MNN_PRIMITIVES_FAMILIES_HPP

#include "Primitives.hpp"

namespace mnn_primitives {

void rasterCases(const Visit& visit);
void unaryCases(const Visit& visit);
void binaryCases(const Visit& visit);
void selectCases(const Visit& visit);
void castCases(const Visit& visit);
void perChannelCases(const Visit& visit);
void reduceCases(const Visit& visit);
void argReduceCases(const Visit& visit);
void cumulateCases(const Visit& visit);
void softmaxCases(const Visit& visit);
void normCases(const Visit& visit);
void matMulCases(const Visit& visit);
void convolutionCases(const Visit& visit);
void depthwiseCases(const Visit& visit);
void deconvolutionCases(const Visit& visit);
void poolCases(const Visit& visit);
void interpCases(const Visit& visit);
void gridSampleCases(const Visit& visit);
void gatherCases(const Visit& visit);
void scatterCases(const Visit& visit);
void topKCases(const Visit& visit);
void makerCases(const Visit& visit);
void quantizeCases(const Visit& visit);
void recurrentCases(const Visit& visit);
void ropeCases(const Visit& visit);

}  // namespace mnn_primitives
#endif
