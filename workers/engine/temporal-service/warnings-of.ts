import { type EngineRecord, transportOf } from '../../../core/engine/engine.js';
import { shortHistory } from '../../../core/engine/history.js';
import { certificatesEnd } from '../../../home/home-certificates.js';
import { needRenewal } from './certificates.js';

type Warned = Pick<EngineRecord, 'kind' | 'certificates' | 'address' | 'namespace' | 'retentionDays'>;

/** Returns warnings about an engine's transport and history, each with its remedy. */
export function warningsOf(record: Warned): string[] {
  const { certificates, address } = record;
  const history = shortHistory(record.namespace, record.retentionDays);
  if (history) return [history];
  if (transportOf(record) === 'sealed-only') {
    return [
      `sealed only: this "temporal" has no mutual TLS, so every user of this machine can call the engine at ${address}: see names and times, cancel, terminate and delete operations; not read or forge what is in them. For the engine with mutual TLS: install Go and run \`provisioning up --rebuild\` (docs/operate/security.md)`,
    ];
  }
  if (!certificates || !needRenewal(certificates)) return [];
  const end = certificatesEnd(certificates);
  const when =
    end === 0
      ? 'are missing or cannot be read'
      : end < Date.now()
        ? 'have expired'
        : `end on ${new Date(end).toISOString().slice(0, 10)}`;
  return [`the certificates of the engine ${when}: \`provisioning up\` renews them`];
}
