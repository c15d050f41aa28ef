import * as z from 'zod';
import { duration, hostPort, line, port, secret, tlsAlone } from '../../sdk/index.js';

const receiverName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, {
  error: 'the name of a receiver has up to 63 letters, digits and _.-',
});
const label = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, { error: 'the name of a label has letters, digits and _' });

const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'a webhook is a URL with http or https' }).describe('URL that receives alerts as JSON'),
  token: secret().optional().describe('Bearer token for the requests'),
});

const smtp = z
  .strictObject({
    server: hostPort('a mail server is written as "host:port"').describe('Mail server, as `host:port`'),
    from: z.email({ error: 'write an address of mail' }).describe('Sender of the mails'),
    user: line().optional().describe('User that logs in at the mail server'),
    password: secret().optional().describe('Password of that user'),
    requireTls: z.boolean().default(true).describe('Whether mail requires an encrypted connection'),
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    error: 'user and password come together',
  });

export const alertmanagerConfig = z
  .strictObject({
    port: port(9093).describe('TCP port of web interface and API'),
    tls: tlsAlone().optional().describe('TLS for all requests'),
    retention: duration('5 d').describe('How long silences and past notifications are kept'),
    smtp: smtp.optional().describe('Mail settings; receivers with `emails` need them'),
    receivers: z
      .array(
        z.strictObject({
          name: receiverName.describe('Name of the receiver'),
          emails: z
            .array(z.email({ error: 'write an address of mail' }))
            .default([])
            .describe('Mail addresses'),
          webhooks: z.array(webhook).default([]).describe('Webhooks: `url`, and `token`, a secret of one line'),
        }),
      )
      .default([])
      .describe('Receivers of alerts: the first one gets alerts without a matching route; without receivers alerts are only shown'),
    routes: z
      .array(
        z.strictObject({
          match: z.record(label, line()).describe('Labels that an alert has'),
          receiver: receiverName.describe('Receiver of these alerts'),
          continue: z.boolean().default(false).describe('Whether later routes are also evaluated'),
        }),
      )
      .default([])
      .describe('Routes of alerts to receivers; the first matching route wins'),
    groupBy: z.array(label).default(['alertname']).describe('Labels that group alerts into one notification'),
    groupWait: duration('30 s').describe('How long a new group waits for further alerts'),
    groupInterval: duration('5 m').describe('Time between notifications of a group that changed'),
    repeatInterval: duration('4 h').describe('Time between notifications of a group that did not change'),
  })
  .superRefine(({ receivers, routes, smtp }, context) => {
    const names = receivers.map(({ name }) => name);
    const issue = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (new Set(names).size < names.length) issue(['receivers'], 'each receiver may be listed only once');
    receivers.forEach(({ emails }, index) => {
      if (emails.length > 0 && !smtp) issue(['receivers', index, 'emails'], 'set smtp, by which mail is sent');
    });
    routes.forEach(({ receiver }, index) => {
      if (!names.includes(receiver)) issue(['routes', index, 'receiver'], 'no receiver has this name');
    });
  })
  .meta({
    examples: [
      {
        smtp: { server: 'mail.example.org:587', from: 'alerts@example.org', user: 'alerts', password: { generate: 'password' } },
        receivers: [
          { name: 'team', emails: ['team@example.org'] },
          { name: 'on-call', webhooks: [{ url: 'https://pager.example.org/alerts', token: { generate: 'token' } }] },
        ],
        routes: [{ match: { severity: 'critical' }, receiver: 'on-call' }],
      },
    ],
  });

export type AlertmanagerConfig = z.output<typeof alertmanagerConfig>;
