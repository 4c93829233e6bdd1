# millrace: built with PGXS. `make`, `make install`, `make installcheck`.
EXTENSION = millrace
MODULE_big = millrace
DATA = sql/millrace--1.0.sql
SRCS = $(sort $(wildcard src/*/*.cpp))
OBJS = $(SRCS:.cpp=.o)

REGRESS = $(patsubst sql/%.sql,%,$(sort $(filter-out sql/millrace--%.sql,$(wildcard sql/*.sql))))
REGRESS_OPTS = --load-extension=millrace
# the cases' tables are small; the server needs max_prepared_transactions > 0
installcheck: export PGOPTIONS += -c millrace.scan_min_cost=0

PG_CONFIG ?= pg_config
# Bitcode of hook functions is of no use to the JIT compiler.
override with_llvm = no
SHLIB_LINK = -lhwy
EXTRA_CLEAN = $(OBJS:.o=.d)

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

MR_CXXFLAGS = -std=gnu++17 -O3 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden \
              -Wall -Wextra -Wno-register -Wno-unused-parameter -Wno-missing-field-initializers \
              -Isrc -MMD -MP $(WERROR)

# PGXS knows no header dependencies for C++ and puts its -O2 last; this rule does both right.
%.o: %.cpp
	$(CXX) $(filter-out -O2,$(CXXFLAGS)) $(MR_CXXFLAGS) $(CPPFLAGS) -c -o $@ $<

-include $(OBJS:.o=.d)
