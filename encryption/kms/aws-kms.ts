import { messageOf } from '../../core/errors.js';
import {
  ANSWER_MS,
  BYTES,
  badKmsSetting,
  CONNECT_MS,
  type KeyWrapper,
  type KmsPlace,
  serviceGone,
  serviceRefuses,
  type Verb,
} from './key-wrapper.js';

/**
 * Creates a wrapper with AWS KMS. Credentials and region come from AWS's variables, a profile, or the machine's role.
 */
export function openKms({ setUp, env }: KmsPlace): KeyWrapper {
  const KeyId = env.PROVISIONING_ENCRYPTION_KMS_KEY;
  if (!KeyId) throw badKmsSetting('encryption.kmsKey', 'it names no key of AWS KMS', 'an id, an ARN, or alias/NAME');
  const endpoint = env.PROVISIONING_ENCRYPTION_KMS_ADDRESS || undefined;
  const name = `AWS KMS ${KeyId}${endpoint ? ` at ${endpoint}` : ''}`;
  const EncryptionContext = { provisioning: setUp };
  const open = async () => {
    // Node 20 is supported until its last release, so the SDK's warning does not help users.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { KMS } = await import('@aws-sdk/client-kms');
    const requestHandler = { connectionTimeout: CONNECT_MS };
    return new KMS({ ...(endpoint ? { endpoint } : {}), maxAttempts: 1, requestHandler });
  };
  const ask = async <T>(verb: Verb, work: (kms: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> => {
    const kms = await open();
    try {
      return await work(kms);
    } catch (error) {
      throw explained(error, verb, name);
    } finally {
      kms.destroy();
    }
  };
  return {
    kind: 'aws-kms',
    name,
    async wrap(key) {
      const { CiphertextBlob } = await ask('wrap', (kms) => kms.encrypt({ KeyId, Plaintext: key, EncryptionContext }, inTime()));
      if (!CiphertextBlob?.length) throw serviceRefuses('wrap', name, 'it answered nothing');
      return Buffer.from(CiphertextBlob).toString('base64');
    },
    async unwrap(wrapped) {
      const CiphertextBlob = Buffer.from(wrapped, 'base64');
      const { Plaintext } = await ask('unwrap', (kms) => kms.decrypt({ KeyId, CiphertextBlob, EncryptionContext }, inTime()));
      if (Plaintext?.length === BYTES) return Buffer.from(Plaintext);
      throw serviceRefuses('unwrap', name, `its answer is not a key of ${BYTES} bytes`);
    },
  };
}

const inTime = () => ({ abortSignal: AbortSignal.timeout(ANSWER_MS) });

interface Answer {
  name?: string;
  $fault?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Converts AWS's errors. Their name identifies the failure; the message may be empty. */
function explained(error: unknown, verb: Verb, on: string) {
  const { name = '', $metadata } = error as Answer;
  const why = [name === 'Error' ? '' : name, messageOf(error)].filter(Boolean).join(': ');
  const status = $metadata?.httpStatusCode ?? 0;
  const isTheirs = status >= 500 || status === 429 || /Throttl|Timeout|KMSInternal|DependencyTimeout|LimitExceeded/.test(name);
  if (status >= 400 && !isTheirs)
    return serviceRefuses(verb, on, why, HINTS[name] ?? 'look at the key, its policy, and who is asking');
  if (/Credential|Region/i.test(why)) return serviceRefuses(verb, on, why, 'AWS_ACCESS_KEY_ID or a profile, and AWS_REGION');
  return serviceGone(verb, on, why, 'is AWS KMS reached from here? encryption.kmsAddress names another endpoint');
}

const HINTS: Readonly<Record<string, string>> = {
  AccessDeniedException: 'allow kms:Encrypt and kms:Decrypt on this key',
  NotFoundException: 'look at encryption.kmsKey and AWS_REGION',
  DisabledException: 'enable the key',
  InvalidCiphertextException: 'it was wrapped by another key, or for another set-up',
  IncorrectKeyException: 'it was wrapped by another key: name that as encryption.kmsKey',
};
