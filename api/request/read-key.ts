import { inputError } from '../../core/errors.js';

/** A text of visible characters, bare or as a structured field has it: in quotes. */
const KEY = /^(?:"([!#-[\]-~]{1,255})"|([!#-~]{1,255}))$/;

/** The `Idempotency-Key` of a request. @throws inputError `bad-request` */
export function readKey(headers: Headers): string | undefined {
  const given = headers.get('idempotency-key');
  if (given === null) return undefined;
  const [, quoted, bare] = KEY.exec(given.trim()) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  const why = 'a key has 1 to 255 visible ASCII characters, without spaces';
  throw inputError({ code: 'bad-request', what: 'read the header Idempotency-Key', why, hint: 'send a random UUID' });
}
