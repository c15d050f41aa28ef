/** Settings files from which many programs read credentials, except examples. */
const ENVIRONMENT = /^\.env(?:$|\.(?!.*(?:example|sample|template|dist|defaults?)$))/i;
/** Names that programs use for private keys and credentials. */
const KEY_NAME =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)|\.netrc|\.pgpass|\.git-credentials|\.vault-token|\.htpasswd\.key)$/i;
/** Folders of credentials. */
const PRIVATE_FOLDER = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.docker', '.azure', '.gcloud']);
const KEY = /^(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-|AGE-SECRET-KEY-)/m;
/** Extensions of files that may have a key after certificates or comments. */
const KEY_ENDING = /\.(?:pem|key|ppk|age|agekey)$/i;
/** Maximum size of a key, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Returns whether a folder's name indicates credentials. Its files are not deployed unless the user lists it. */
export const isPrivateFolder = (name: string): boolean => PRIVATE_FOLDER.has(name.toLowerCase());

/** Returns whether a file's name or beginning indicates credentials. */
export function isPrivateFile(name: string, content: Buffer): boolean {
  if (ENVIRONMENT.test(name) || KEY_NAME.test(name)) return true;
  if (content.length > MOST_BYTES) return false;
  const text = content.toString('latin1');
  // Code that mentions a key does so further down.
  return KEY.test(KEY_ENDING.test(name) ? text : (text.trimStart().split('\n', 1)[0] ?? ''));
}
