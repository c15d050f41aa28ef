/** `atob`, which the engine lacks and which zod's base64 schema calls. It throws for invalid base64. */
export const ATOB = `globalThis.atob = (text) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const plain = String(text).replace(/[\\t\\n\\f\\r ]/g, '').replace(/={1,2}$/, '');
  if (plain.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(plain)) throw new TypeError('it is not base64');
  const bytes = [];
  let bits = 0, held = 0;
  for (const letter of plain) {
    held = ((held << 6) | letters.indexOf(letter)) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes.push(String.fromCharCode((held >> (bits -= 8)) & 0xff));
  }
  return bytes.join('');
};`;
