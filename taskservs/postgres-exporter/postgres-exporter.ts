import * as z from 'zod';
import {
  debianVersions,
  exporterService,
  fact,
  listOffered,
  type PlanContext,
  port,
  type Step,
  sh,
  tlsAlone,
} from '../../sdk/index.js';

const config = z
  .strictObject({
    port: port(9187).describe('TCP port on which /metrics is served'),
    tls: tlsAlone().optional().describe('TLS for all requests'),
    settings: z.boolean().default(true).describe('Whether the metrics include the settings of postgres'),
  })
  .meta({ examples: [{ settings: false }] });

type Config = z.output<typeof config>;

const postgresPort = ({ host, peers }: PlanContext): number =>
  listOffered(peers, 'postgres').find(({ server }) => server === host.name)?.endpoint.port ?? 5432;

/** The program runs as the system user of this name, whom postgres lets in without a password. */
const ROLE = 'prometheus';

/** Runs SQL with Debian's psql, which finds the port of the only cluster. */
const psql = (sql: string) => sh`cd /
runuser -u postgres -- psql -qtAXd postgres -v ON_ERROR_STOP=1 -c ${sql}`;

/**
 * Query for each look at the host, through the existing socket and with the psql of any version. Debian's psql is a
 * Perl wrapper, and `runuser` opens a session. Both take longer than the query.
 */
const ask = (sql: string) =>
  `cd /; for psql in /usr/lib/postgresql/*/bin/psql; do :; done; port=5432
for socket in /run/postgresql/.s.PGSQL.*; do
  case "\${socket##*.}" in *[!0-9]*) ;; *) port=\${socket##*.}; break ;; esac
done
setpriv --reuid postgres --regid postgres --clear-groups -- "$psql" -p "$port" -qtAXd postgres ${sh`-c ${sql}`}`;

/** `absent`, `there` or `reads`; empty where postgres was not asked. */
const roleFact = () =>
  fact<string>(
    ask(`SELECT coalesce((SELECT CASE WHEN pg_has_role(oid, 'pg_monitor', 'USAGE') THEN 'reads' ELSE 'there' END
FROM pg_roles WHERE rolname = '${ROLE}' AND rolcanlogin), 'absent')`),
    ({ stdout }) => stdout.trim(),
    '',
  );

function roleSteps(_: Config, found: string): Step[] {
  if (found === 'reads') return [];
  const create = `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}') THEN CREATE ROLE ${ROLE}; END IF;
END $$`;
  const undo = { absent: `DROP ROLE IF EXISTS ${ROLE}`, there: `REVOKE pg_monitor FROM ${ROLE}` }[found];
  return [
    {
      title: `Let the role ${ROLE} read the statistics of postgres`,
      run: [create, `ALTER ROLE ${ROLE} LOGIN`, `GRANT pg_monitor TO ${ROLE}`].map(psql).join('\n'),
      // The former state of a postgres that could not be queried is unknown.
      undo: undo ? psql(undo) : ':',
    },
  ];
}

/** Measures the postgres of its server. */
export const postgresExporter = exporterService({
  name: 'postgres-exporter',
  description: 'Measures the postgres of its server, as metrics for Prometheus.',
  versions: debianVersions({ 12: '0.11', 13: '0.17' }),
  requires: ['postgres'],
  config,
  uses: () => ['postgres'],
  speaksTls: true,
  variables: (_, context) => [
    `DATA_SOURCE_NAME="user=${ROLE} host=/run/postgresql port=${postgresPort(context)} dbname=postgres sslmode=disable"`,
  ],
  args: ({ settings }, { web }) => [...web.listen, ...web.tls, ...(settings ? [] : ['--disable-settings-metrics'])],
  contents: { fact: roleFact, steps: roleSteps },
  measures: () => ({ title: 'postgres-exporter measures postgres', expect: 'pg_up 1' }),
});
