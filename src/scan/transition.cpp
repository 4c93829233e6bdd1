#include "scan/transition.h"

extern "C" {
#include "utils/fmgroids.h"
}

namespace mr {

const AggOps* find_agg_ops(Oid transfn) {
  static const AggOps* const tables[] = {kCountOps, kIntegerOps, kFloatOps, kNumericOps, kCoreOps};
  for (const AggOps* table : tables)
    for (const AggOps* ops = table; OidIsValid(ops->transfn); ops++)
      if (ops->transfn == transfn) return ops;
  return nullptr;
}

Oid error_of_transition(const Transition* t) {
  switch (t->transfn) {
    case F_FLOAT4PL:
    case F_FLOAT8PL:
    case F_FLOAT4_ACCUM:
    case F_FLOAT8_ACCUM:
    case F_FLOAT8_REGR_ACCUM:
      return F_FLOAT8PL;
    case F_TEXT_LARGER:
    case F_TEXT_SMALLER:
    case F_BPCHAR_LARGER:
    case F_BPCHAR_SMALLER:
      return OidIsValid(t->aggref->inputcollid) ? InvalidOid : F_TEXT_LARGER;
    case F_INTERVAL_PL:
    case F_CASH_PL:
    case F_BITAND:
    case F_BITOR:
    case F_BITXOR:
      return t->transfn;
    default:
      return InvalidOid;
  }
}

Datum call_in_aggregate(PGFunction function, AggState* fake, Datum arg0, Datum arg1) {
  LOCAL_FCINFO(call, 2);
  InitFunctionCallInfoData(*call, nullptr, 2, InvalidOid, reinterpret_cast<Node*>(fake), nullptr);
  call->args[0].value = arg0;
  call->args[0].isnull = false;
  call->args[1].value = arg1;
  call->args[1].isnull = false;
  return function(call);
}

}  // namespace mr
