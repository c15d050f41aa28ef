import { sh } from '../host/shell.js';
import { MANAGED_FILE_HEADER } from './managed-file-header.js';

/** A service that speaks TLS: whose files these are, and how it takes in others. */
export interface TlsService {
  /** Name of the taskserv. */
  name: string;
  /** Its systemd unit. */
  unit: string;
  /** Group of its user. Only this group and root can read the key. */
  group: string;
  /**
   * Command that makes the running service load a renewed certificate. Default: it is reloaded, or restarted if it
   * cannot be. `none` if it detects the change itself.
   */
  renew?: string | 'none';
}

/** The files of a service's certificate. They are the same wherever it is from. */
export const tlsFiles = (name: string) => ({
  certificate: `/etc/tls/${name}/certificate.pem`,
  key: `/etc/tls/${name}/key.pem`,
});

/** Hook that acme runs with a new certificate: `HOOK NAME`. */
export const hookPath = (name: string): string => `/etc/acme/deploy.d/${name}`;

/**
 * Fails where the certificate and the key of its environment do not go together, or the certificate is over. It prints why,
 * and nothing of either.
 */
export const CHECK_PAIR = `wrong() { echo "$1" >&2; exit 1; }
own=$(printf '%s\\n' "$CERTIFICATE" | openssl x509 -noout -pubkey 2>/dev/null) || wrong 'the certificate is not one in PEM'
of=$(printf '%s\\n' "$KEY" | openssl pkey -pubout -passin pass: 2>/dev/null) || wrong 'the key is not a private key in PEM without a passphrase'
[ "$own" = "$of" ] || wrong 'the key does not belong to the certificate'
if ! printf '%s\\n' "$CERTIFICATE" | openssl x509 -noout -checkend 0 >/dev/null; then
  wrong "the certificate ended on $(printf '%s\\n' "$CERTIFICATE" | openssl x509 -noout -enddate | cut -d= -f2)"
fi`;

/** Copies a certificate of acme for a service, which takes it in where it runs. Run as `HOOK NAME` for each that is renewed. */
export function hookScript({ name, unit, group, renew }: TlsService, acme: string): string {
  const to = tlsFiles(name);
  const takeIn =
    renew === 'none'
      ? ''
      : `\nif systemctl is-active --quiet ${sh`${unit}`}; then ${renew ?? sh`systemctl reload-or-restart ${unit}`}; fi`;
  const from = `/etc/acme/${acme}`;
  const aside = (path: string) => path.replace(/[^/]+$/, '.$&');
  return `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
${sh`[ "$*" = ${acme} ] || exit 0
cd ${from}
if [ "$(openssl x509 -in certificate.pem -noout -pubkey)" != "$(openssl pkey -in key.pem -pubout)" ]; then
  echo ${`cannot use the certificate ${acme} for ${name}: the key does not belong to it`} >&2
  exit 1
fi`}
if ${isSame(name, group, acme)}; then exit 0; fi
${sh`install -d -m 0755 /etc/tls ${`/etc/tls/${name}`}
install -m 0640 -g ${group} certificate.pem ${aside(to.certificate)}
install -m 0640 -g ${group} key.pem ${aside(to.key)}
mv -f ${aside(to.certificate)} ${to.certificate}
mv -f ${aside(to.key)} ${to.key}`}${takeIn}
`;
}

/** A condition: that a service has what acme has. */
export function isSame(name: string, group: string, acme: string): string {
  const { certificate, key } = tlsFiles(name);
  const from = `/etc/acme/${acme}`;
  return sh`[ "$(stat -c '%a %G' ${key} ${certificate} 2>/dev/null | sort -u)" = ${`640 ${group}`} ] && cmp -s ${`${from}/certificate.pem`} ${certificate} && cmp -s ${`${from}/key.pem`} ${key}`;
}
