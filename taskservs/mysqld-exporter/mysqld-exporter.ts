import * as z from 'zod';
import {
  addressesOf,
  debianVersions,
  fact,
  hostPart,
  MANAGED_FILE_HEADER,
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

const collector = z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, { error: 'a collector is named like "info_schema.tables"' });

const config = z
  .strictObject({
    port: port(9104).describe('TCP port on which /metrics is served'),
    tls: tlsAlone().optional().describe('TLS for all requests'),
    disabledCollectors: z.array(collector).default([]).describe('Collectors that are on by default and are turned off'),
    enabledCollectors: z.array(collector).default([]).describe('Collectors that are off by default and are turned on'),
  })
  .meta({ examples: [{ enabledCollectors: ['info_schema.processlist'] }] });

type Config = z.output<typeof config>;

/** The program runs as the system user of this name, whom mariadb lets in without a password. */
const ACCOUNT = "'prometheus'@'localhost'";
const SOCKET = '/run/mysqld/mysqld.sock';

/** From 0.15 on the program takes no account from its environment. */
const CLIENT = '/etc/prometheus/mysqld-exporter.cnf';
const readsClient = (version: string): boolean => version !== '0.14';

/** By the socket, where there is nothing to encrypt: clients of MariaDB 11.4 and later would check the certificate. */
const mariadb = (sql: string) => sh`mariadb --no-defaults --skip-ssl -S ${SOCKET} -NB -e ${sql}`;

/** `absent` or the grants of all databases that the account has; empty where mariadb was not asked. */
const accountFact = () =>
  fact<string>(
    mariadb(`SELECT COALESCE(GROUP_CONCAT(PRIVILEGE_TYPE), 'absent')
FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = "${ACCOUNT}"`),
    ({ stdout }) => stdout.trim(),
    '',
  );

function accountSteps(_: Config, found: string): Step[] {
  if (['PROCESS', 'SELECT', 'BINLOG MONITOR'].every((grant) => found.split(',').includes(grant))) return [];
  const statements = [
    `CREATE USER IF NOT EXISTS ${ACCOUNT} IDENTIFIED VIA unix_socket WITH MAX_USER_CONNECTIONS 3`,
    `GRANT PROCESS, BINLOG MONITOR, SELECT ON *.* TO ${ACCOUNT}`,
  ];
  return [
    {
      title: 'Let the account prometheus read the statistics of mariadb',
      run: mariadb(statements.join('; ')),
      // What was there before, in a mariadb that could not be asked, is not known.
      undo: found === 'absent' ? mariadb(`DROP USER IF EXISTS ${ACCOUNT}`) : ':',
    },
  ];
}

/** Measures the mariadb of its server. */
export const mysqldExporter = packageService({
  name: 'mysqld-exporter',
  category: 'observability',
  holds: [],
  description: 'Measures the mariadb of its server, for Prometheus to scrape.',
  versions: debianVersions({ 12: '0.14', 13: '0.17' }),
  supports: { os: ['debian'] },
  requires: ['mariadb'],
  config,
  endpoints: ({ port, tls }) => [{ name: 'metrics', port, path: '/metrics', ...(tls && { tls: true }) }],
  package: 'prometheus-mysqld-exporter',
  listens: 'metrics',
  files: {
    web: webConfigFile('mysqld-exporter'),
    client: {
      path: CLIENT,
      content: (_, { version }) =>
        readsClient(version) ? `${MANAGED_FILE_HEADER}\n[client]\nuser=prometheus\nsocket=${SOCKET}\n` : undefined,
    },
    defaults: {
      path: '/etc/default/prometheus-mysqld-exporter',
      // As the package makes them with each of its versions.
      mode: '0640',
      owner: 'prometheus:prometheus',
      content(config, { listening, version }) {
        const { port, disabledCollectors, enabledCollectors } = config;
        const args = [
          ...(addressesOf(listening) ?? ['']).map((address) => `--web.listen-address=${hostPart(address)}:${port}`),
          ...webConfigArgs('mysqld-exporter', config),
          ...(readsClient(version) ? [`--config.my-cnf=${CLIENT}`] : []),
          ...disabledCollectors.map((name) => `--no-collect.${name}`),
          ...enabledCollectors.map((name) => `--collect.${name}`),
        ];
        return [
          MANAGED_FILE_HEADER,
          ...(readsClient(version) ? [] : [`DATA_SOURCE_NAME="prometheus@unix(${SOCKET})/"`]),
          `ARGS="${args.join(' ')}"`,
          '',
        ].join('\n');
      },
    },
  },
  contents: { fact: accountFact, steps: accountSteps },
  tls: webTls(({ port }) => ({ connect: `127.0.0.1:${port}` })),
  health: (config) => [webHealth('mysqld-exporter measures mariadb', `127.0.0.1:${config.port}`, '/metrics', config, 'mysql_up 1')],
});
