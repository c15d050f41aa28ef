import type { PrometheusConfig } from './prometheus-config.js';

/** The file of the authority by which it knows what it asks by TLS. */
export const AUTHORITY = '/etc/prometheus/provisioning-authority.pem';

/** How others are asked by TLS. */
export interface AskedByTls {
  /** Name in their certificate, if it differs from the address. */
  serverName?: string;
}

/** TLS lines of a job or an alertmanager, each without its indentation. */
export function tlsLines(tls: AskedByTls | undefined, { authority }: Pick<PrometheusConfig, 'authority'>): string[] {
  if (!tls) return [];
  const config = {
    ...(authority && { ca_file: AUTHORITY }),
    ...(tls.serverName !== undefined && { server_name: tls.serverName }),
    min_version: 'TLS12',
  };
  return ['scheme: https', `tls_config: ${JSON.stringify(config)}`];
}
