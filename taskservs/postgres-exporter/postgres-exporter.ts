import * as z from 'zod';
import {
  addressesOf,
  debianVersions,
  fact,
  hostPart,
  MANAGED_FILE_HEADER,
  offering,
  type PlanContext,
  packageService,
  port,
  type Step,
  sh,
  tlsAlone,
  webConfigArgs,
  webConfigFile,
  webHealth,
  webTls,
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
  offering(peers, 'postgres').find(({ server }) => server === host.name)?.endpoint.port ?? 5432;

/** The program runs as the system user of this name, whom postgres lets in without a password. */
const ROLE = 'prometheus';

/** Debian's psql finds the port of the only cluster by itself. */
const psql = (sql: string) => sh`cd /
runuser -u postgres -- psql -qtAXd postgres -v ON_ERROR_STOP=1 -c ${sql}`;

/**
 * The same for each look at the host, by the socket that is there and the psql of any version: Debian's is a wrapper in
 * Perl around them, and `runuser` opens a session. Both take longer than the question.
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
      // What was there before, in a postgres that could not be asked, is not known.
      undo: undo ? psql(undo) : ':',
    },
  ];
}

/** Measures the postgres of its server. */
export const postgresExporter = packageService({
  name: 'postgres-exporter',
  category: 'observability',
  holds: [],
  description: 'Measures the postgres of its server, for Prometheus to scrape.',
  versions: debianVersions({ 12: '0.11', 13: '0.17' }),
  supports: { os: ['debian'] },
  requires: ['postgres'],
  config,
  endpoints: ({ port, tls }) => [{ name: 'metrics', port, path: '/metrics', ...(tls && { tls: true }) }],
  uses: () => ['postgres'],
  package: 'prometheus-postgres-exporter',
  listens: 'metrics',
  files: {
    web: webConfigFile('postgres-exporter'),
    defaults: {
      path: '/etc/default/prometheus-postgres-exporter',
      content(config, context) {
        const { port, settings } = config;
        const args = [
          ...(addressesOf(context.listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`),
          ...webConfigArgs('postgres-exporter', config),
          ...(settings ? [] : ['--disable-settings-metrics']),
        ];
        return [
          MANAGED_FILE_HEADER,
          `DATA_SOURCE_NAME="user=${ROLE} host=/run/postgresql port=${postgresPort(context)} dbname=postgres sslmode=disable"`,
          `ARGS="${args.join(' ')}"`,
          '',
        ].join('\n');
      },
    },
  },
  contents: { fact: roleFact, steps: roleSteps },
  tls: webTls(({ port }) => ({ connect: `127.0.0.1:${port}` })),
  health: (config) => [webHealth('postgres-exporter measures postgres', `127.0.0.1:${config.port}`, '/metrics', config, 'pg_up 1')],
});
