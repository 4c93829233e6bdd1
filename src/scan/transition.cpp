#include "scan/transition.h"

namespace mr {

const AggOps* find_agg_ops(Oid transfn) {
  static const AggOps* const tables[] = {kCountOps, kIntegerOps, kFloatOps, kNumericOps, kCoreOps};
  for (const AggOps* table : tables)
    for (const AggOps* ops = table; OidIsValid(ops->transfn); ops++)
      if (ops->transfn == transfn) return ops;
  return nullptr;
}

Datum call_in_aggregate(PGFunction function, AggState* fake, Datum arg0, Datum arg1) {
  LOCAL_FCINFO(call, 2);
  InitFunctionCallInfoData(*call, nullptr, 2, InvalidOid, reinterpret_cast<fmNodePtr>(fake), nullptr);
  call->args[0].value = arg0;
  call->args[0].isnull = false;
  call->args[1].value = arg1;
  call->args[1].isnull = false;
  return function(call);
}

}  // namespace mr
