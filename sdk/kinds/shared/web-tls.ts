import { sh } from '../../../core/host/shell.js';
import type { ServiceTls } from '../../../core/schema/service-tls.js';
import { MANAGED_FILE_HEADER } from '../../../core/taskserv/managed-file-header.js';
import { tlsFiles } from '../../../core/taskserv/service-tls.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { TLS12_GO_CIPHERS } from '../../../core/taskserv/tls.js';
import type { PackageTls, ServiceFile } from '../package.js';

/** Configuration that Prometheus and its exporters share. With `tls`, they accept only TLS. */
interface WithTls {
  tls?: ServiceTls | undefined;
}

interface Asked extends WithTls {
  port: number;
}

const path = (name: string): string => `/etc/prometheus/web-${name}.yml`;

/** Returns the file of `--web.config.file`, used with TLS. File and certificate are read again for each connection. */
export const webConfigFile = (name: string): ServiceFile<WithTls> => ({
  path: path(name),
  isRead: ({ tls }) => tls !== undefined,
  content({ tls }) {
    if (!tls) return undefined;
    const { certificate, key } = tlsFiles(name);
    const server = {
      cert_file: certificate,
      key_file: key,
      min_version: tls.minimum === 'TLSv1.3' ? 'TLS13' : 'TLS12',
      cipher_suites: TLS12_GO_CIPHERS,
      prefer_server_cipher_suites: false,
    };
    // YAML includes JSON.
    return `${MANAGED_FILE_HEADER}\n${JSON.stringify({ tls_server_config: server }, undefined, 2)}\n`;
  },
});

/** Returns the argument that names the file. */
export const webConfigArgs = (name: string, { tls }: WithTls): string[] => (tls ? [`--web.config.file=${path(name)}`] : []);

/**
 * Returns the TLS settings of such a program.
 *
 * @param connect address at which this host reaches it, `127.0.0.1:9100`
 */
export const webTls = (connect: NonNullable<PackageTls<Asked>['connect']>): PackageTls<Asked> => ({
  of: ({ tls }) => tls,
  group: 'prometheus',
  renew: 'none',
  packages: ['curl'],
  connect,
});

/** Checks that a page answers with 2xx or 3xx, over TLS if that is set. Another check verifies the certificate. */
export function webHealth(title: string, at: string, page: string, { tls }: WithTls, expect?: string): HealthCheck {
  if (!tls) return { title, http: `http://${at}${page}`, ...(expect !== undefined && { expect }) };
  const asked = sh`curl -fsSk --max-time 10 --noproxy ${'*'} ${`https://${at}${page}`}`;
  return { title, command: `${asked} && echo answered`, expect: expect ?? 'answered' };
}
