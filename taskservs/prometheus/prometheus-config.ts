import * as z from 'zod';
import { duration, hostPort, line, port, secret, tlsAlone } from '../../sdk/index.js';

const target = hostPort('a target is written as "host:port", an IPv6 address in brackets');

const label = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, { error: 'the name of a label has letters, digits and _' });

const rule = z.strictObject({
  alert: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, { error: 'the name of an alert has letters, digits and _' })
    .describe('Name of the alert, its label `alertname`'),
  expr: line(2_000).min(1).describe('PromQL query; each series in the result is an alert'),
  for: duration('1 m').describe('Duration before the alert fires'),
  labels: z.record(label, line()).default({}).describe('Further labels, used to route alerts: `severity: critical`'),
  summary: line(1_000)
    .optional()
    .describe('Text for people; `{{ $labels.instance }}` is the server, `{{ $value }}` the measured value'),
});

export const prometheusConfig = z
  .strictObject({
    port: port(9090).describe('TCP port of web interface and API'),
    tls: tlsAlone().optional().describe('TLS for all requests'),
    authority: secret().optional().describe('Authority of TLS targets, PEM; default: the system certificates'),
    retention: duration('15 d').describe('How long samples are kept'),
    scrapeInterval: duration('15 s').describe('Time between two scrapes of a target'),
    targets: z
      .array(
        z.strictObject({
          job: z
            .string()
            .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, { error: 'the name of a job has up to 63 letters, digits and _.-' })
            .describe('Name of the job, its label `job`'),
          targets: z.array(target).min(1).describe('Targets, each as `host:port`'),
          path: z
            .string()
            .regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'the path of a URL begins with /' })
            .default('/metrics')
            .describe('Path of the metrics'),
          tls: z.boolean().default(false).describe('Whether to use TLS'),
        }),
      )
      .refine((jobs) => new Set(jobs.map(({ job }) => job)).size === jobs.length, { error: 'each job may be listed only once' })
      .default([])
      .describe('Targets in addition to those in the definition, which are found automatically'),
    rules: z
      .array(rule)
      .refine((rules) => new Set(rules.map(({ alert }) => alert)).size === rules.length, {
        error: 'each alert may be listed only once',
      })
      .default([])
      .describe('Alert rules; alerts go to servers with an endpoint `alerts`'),
  })
  .meta({
    examples: [
      {
        retention: '30 d',
        targets: [{ job: 'app', targets: ['app.example.org:9200'] }],
        rules: [{ alert: 'Down', expr: 'up == 0', for: '5 m', labels: { severity: 'critical' } }],
      },
    ],
  });

export type PrometheusConfig = z.output<typeof prometheusConfig>;
