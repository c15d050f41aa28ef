import type * as z from 'zod';
import { type ServiceTls, TLS12_CIPHERS, type TlsService, tlsFiles } from '../../sdk/index.js';

/** How postgres has its certificate: a reload takes in another one, and breaks no connection. */
export const tlsOf = (unit: string): TlsService => ({ name: 'postgres', unit, group: 'postgres' });

/** The settings of postgres that follow from `tls`. */
export function tlsSettings(tls: ServiceTls | undefined): Record<string, string | boolean> {
  if (!tls) return {};
  const { certificate, key } = tlsFiles('postgres');
  return {
    ssl: true,
    ssl_cert_file: certificate,
    ssl_key_file: key,
    ssl_min_protocol_version: tls.minimum,
    ssl_ciphers: TLS12_CIPHERS,
    ssl_prefer_server_ciphers: false,
  };
}

/** Refuses settings that `tls` already decides. */
export function checkTlsSettings(
  { tls, settings }: { tls?: ServiceTls | undefined; settings: Readonly<Record<string, unknown>> },
  context: z.RefinementCtx,
): void {
  for (const name of Object.keys(tlsSettings(tls)).filter((name) => name in settings)) {
    context.addIssue({ code: 'custom', path: ['settings', name], message: 'tls determines this setting: remove it here' });
  }
}
