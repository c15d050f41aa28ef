import * as z from 'zod';
import { debianVersions, exporterService, fact, MANAGED_FILE_HEADER, port, type Step, sh, tlsAlone } from '../../sdk/index.js';

const collector = z.string().regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, { error: 'write a name like "info_schema.tables"' });

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

/** Runs SQL through the socket, without TLS. Clients of MariaDB 11.4 and later would check the certificate. */
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
      // The former state of a mariadb that could not be queried is unknown.
      undo: found === 'absent' ? mariadb(`DROP USER IF EXISTS ${ACCOUNT}`) : ':',
    },
  ];
}

/** Measures the mariadb of its server. */
export const mysqldExporter = exporterService({
  name: 'mysqld-exporter',
  description: 'Measures the mariadb of its server, as metrics for Prometheus.',
  versions: debianVersions({ 12: '0.14', 13: '0.17' }),
  requires: ['mariadb'],
  config,
  speaksTls: true,
  files: {
    client: {
      path: CLIENT,
      content: (_, { version }) =>
        readsClient(version) ? `${MANAGED_FILE_HEADER}\n[client]\nuser=prometheus\nsocket=${SOCKET}\n` : undefined,
    },
  },
  // As the package makes it with each of its versions.
  defaults: { mode: '0640', owner: 'prometheus:prometheus' },
  variables: (_, { version }) => (readsClient(version) ? [] : [`DATA_SOURCE_NAME="prometheus@unix(${SOCKET})/"`]),
  args: ({ disabledCollectors, enabledCollectors }, { version, web }) => [
    ...web.listen,
    ...web.tls,
    ...(readsClient(version) ? [`--config.my-cnf=${CLIENT}`] : []),
    ...disabledCollectors.map((name) => `--no-collect.${name}`),
    ...enabledCollectors.map((name) => `--collect.${name}`),
  ],
  contents: { fact: accountFact, steps: accountSteps },
  measures: () => ({ title: 'mysqld-exporter measures mariadb', expect: 'mysql_up 1' }),
});
