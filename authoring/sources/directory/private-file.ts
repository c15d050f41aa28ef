/** Files of settings that many programs read credentials from; those that show how to write one are none. */
const ENVIRONMENT = /^\.env(?:$|\.(?!.*(?:example|sample|template|dist|defaults?)$))/i;
/** Names that programs give private keys and credentials. */
const KEY_NAME =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk)|\.netrc|\.pgpass|\.git-credentials|\.vault-token|\.htpasswd\.key)$/i;
/** Folders of credentials. */
const PRIVATE_FOLDER = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.docker', '.azure', '.gcloud']);
const KEY = /^(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-|AGE-SECRET-KEY-)/m;
/** Endings of files that hold keys behind certificates or remarks. */
const KEY_ENDING = /\.(?:pem|key|ppk|age|agekey)$/i;
/** A key is no larger, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Whether a folder holds credentials by its name: nothing of it goes with an application unless its user names it. */
export const isPrivateFolder = (name: string): boolean => PRIVATE_FOLDER.has(name.toLowerCase());

/** Whether a file holds credentials, by its name or by its beginning. */
export function isPrivateFile(name: string, content: Buffer): boolean {
  if (ENVIRONMENT.test(name) || KEY_NAME.test(name)) return true;
  if (content.length > MOST_BYTES) return false;
  const text = content.toString('latin1');
  // Code that mentions a key has it further on.
  return KEY.test(KEY_ENDING.test(name) ? text : (text.trimStart().split('\n', 1)[0] ?? ''));
}
