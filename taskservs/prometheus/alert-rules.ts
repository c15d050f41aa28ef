import { MANAGED_FILE_HEADER } from '../../sdk/index.js';
import type { PrometheusConfig } from './prometheus-config.js';

/** Scalars are written as JSON, which YAML reads as it is. */
const json = JSON.stringify;

/** The file of rules; undefined where there are none. */
export function alertRules({ rules }: PrometheusConfig): string | undefined {
  if (rules.length === 0) return undefined;
  return [
    MANAGED_FILE_HEADER,
    'groups:',
    '  - name: provisioning',
    '    rules:',
    ...rules.flatMap(({ alert, expr, for: seconds, labels, summary }) => [
      `      - alert: ${json(alert)}`,
      `        expr: ${json(expr)}`,
      `        for: ${seconds}s`,
      `        labels: ${json(labels)}`,
      ...(summary === undefined ? [] : [`        annotations: ${json({ summary })}`]),
    ]),
    '',
  ].join('\n');
}
