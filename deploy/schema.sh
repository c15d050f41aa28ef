#!/bin/sh
# Creates the databases and updates their schemas to this version. A second run changes nothing.
set -eu
for database in temporal temporal_visibility; do
  schema=${database#temporal_}
  temporal-sql-tool --db "$database" create
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "postgresql/v12/$schema"
done
