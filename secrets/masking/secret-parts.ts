import { parseGeneratedName } from '../../core/taskserv/generated-names.js';

const PRIVATE = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

/** What of a kept secret nobody may see: of a pair that was generated the private key, since certificates are public. */
export function secretPartsOf(name: string, value: string): string[] {
  if (!['ca', 'certificate', 'ssh-key'].includes(parseGeneratedName(name).kind)) return [value];
  return value.match(PRIVATE) ?? [value];
}
