import { MANAGED_FILE_HEADER, secretAs, type Text, text } from '../../sdk/index.js';
import type { AlertmanagerConfig } from './alertmanager-config.js';

type Smtp = NonNullable<AlertmanagerConfig['smtp']>;
type Receiver = AlertmanagerConfig['receivers'][number];
type Route = AlertmanagerConfig['routes'][number];

/** Scalars are written as JSON, which YAML reads as it is. */
const json = JSON.stringify;

/** The content of alertmanager.yml. */
export function alertmanagerYml(config: AlertmanagerConfig): Text {
  const { smtp, receivers, routes, groupBy, groupWait, groupInterval, repeatInterval } = config;
  const known = receivers.length > 0 ? receivers : [{ name: 'none', emails: [], webhooks: [] }];
  const lines = [
    text`${MANAGED_FILE_HEADER}`,
    ...(smtp ? smtpLines(smtp) : []),
    'route:',
    `  receiver: ${json(known[0]?.name)}`,
    `  group_by: ${json(groupBy)}`,
    `  group_wait: ${groupWait}s`,
    `  group_interval: ${groupInterval}s`,
    `  repeat_interval: ${repeatInterval}s`,
    ...(routes.length > 0 ? ['  routes:', ...routes.flatMap(routeLines)] : []),
    'receivers:',
    ...known.flatMap(receiverLines),
  ];
  return text`${lines.flatMap((line) => text`${line}\n`)}`;
}

const smtpLines = ({ server, from, user, password, requireTls }: Smtp): Text[] => [
  'global:',
  `  smtp_smarthost: ${json(server)}`,
  `  smtp_from: ${json(from)}`,
  `  smtp_require_tls: ${requireTls}`,
  ...(user === undefined ? [] : [`  smtp_auth_username: ${json(user)}`]),
  ...(password ? [text`  smtp_auth_password: ${secretAs('yaml', password)}`] : []),
];

function routeLines({ match, receiver, continue: goesOn }: Route): string[] {
  const matchers = Object.entries(match).map(([label, value]) => `${label}="${value.replaceAll(/[\\"]/g, '\\$&')}"`);
  return [`    - receiver: ${json(receiver)}`, `      matchers: ${json(matchers)}`, `      continue: ${goesOn}`];
}

function receiverLines({ name, emails, webhooks }: Receiver): Text[] {
  return [
    `  - name: ${json(name)}`,
    ...(emails.length > 0 ? ['    email_configs:'] : []),
    ...emails.flatMap((to) => [`      - to: ${json(to)}`, '        send_resolved: true']),
    ...(webhooks.length > 0 ? ['    webhook_configs:'] : []),
    ...webhooks.flatMap(({ url, token }) => [
      `      - url: ${json(url)}`,
      ...(token ? [text`        http_config: { authorization: { credentials: ${secretAs('yaml-line', token)} } }`] : []),
    ]),
  ];
}
