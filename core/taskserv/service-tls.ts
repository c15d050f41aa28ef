import { inputError } from '../errors.js';
import { debian, type FoundFile, type FoundPackage, fact, file } from '../host/facts.js';
import { sh } from '../host/shell.js';
import type { Step } from '../host/step.js';
import type { ServiceTls } from '../schema/service-tls.js';
import { ensureFile, ensureNoFile, ensurePackage } from './plans.js';
import { CHECK_PAIR, hookPath, hookScript, isSame, type TlsService, tlsFiles } from './service-tls-scripts.js';
import type { HealthCheck } from './taskserv.js';
import { missingCertificates, temporaryCertificate } from './tls.js';

export { type TlsService, tlsFiles } from './service-tls-scripts.js';

/** Observed certificate of a service, by the names of its facts. */
export interface FoundTls {
  tlsCertificate: FoundFile;
  tlsKey: FoundFile;
  tlsHook: FoundFile;
  tlsOpenssl: FoundPackage;
  /** Fault of a given pair. Empty without one, or if the host cannot check it yet. */
  tlsFault: string;
  /** Certificates of acme that have no files yet. */
  tlsMissing: string[];
  /** The service has what acme has. */
  tlsIsCopied: boolean;
}

/** Facts about the certificate of a service, whether it has one or not. */
export function tlsFacts({ name, group }: TlsService, tls: ServiceTls | undefined) {
  const { acme, certificate, key } = tls ?? {};
  const files = tlsFiles(name);
  return {
    tlsCertificate: file(files.certificate),
    tlsKey: file(files.key),
    tlsHook: file(hookPath(name)),
    tlsOpenssl: debian('openssl'),
    tlsFault: fact<string>(
      certificate && key ? `command -v openssl >/dev/null || exit 0\n(\n${CHECK_PAIR}\n) 2>&1 >/dev/null || true` : ':',
      ({ stdout }) => stdout.trim(),
      '',
      certificate && key && { CERTIFICATE: [certificate], KEY: [key] },
    ),
    tlsMissing: missingCertificates(acme === undefined ? [] : [acme]),
    tlsIsCopied: fact<boolean>(acme === undefined ? ':' : isSame(name, group, acme), ({ exit }) => exit === 0, false),
  };
}

/** The files of a certificate that the platform itself writes; acme sees to that of its own being taken in. */
export const tlsReads = ({ name }: Pick<TlsService, 'name'>, tls: ServiceTls | undefined): string[] =>
  tls?.certificate ? Object.values(tlsFiles(name)) : [];

/**
 * Writes the files of a service's certificate, or removes them.
 *
 * @returns the steps before all others of the service (a fault of the certificate is reported before any change), and
 * those that write the files after the package with the service's group is installed
 * @throws inputError `bad-certificate` if the host can already tell that the pair is useless
 */
export function ensureTls(service: TlsService, tls: ServiceTls | undefined, found: FoundTls): { first: Step[]; files: Step[] } {
  const { name, group } = service;
  const { tlsCertificate, tlsKey, tlsHook } = found;
  const gone = [...ensureNoFile(tlsCertificate), ...ensureNoFile(tlsKey)];
  if (!tls) return { first: [], files: [...ensureNoFile(tlsHook), ...gone] };
  const openssl = ensurePackage(found.tlsOpenssl);

  if (tls.certificate && tls.key) {
    if (found.tlsFault !== '') throw faultOf(name, found.tlsFault);
    const { certificate, key } = tls;
    const read = { mode: '0640', owner: `root:${group}` };
    const files = [
      ...ensureNoFile(tlsHook),
      ...ensureFile(tlsCertificate, { content: [certificate, '\n'], ...read }),
      ...ensureFile(tlsKey, { content: [key, '\n'], ...read }),
    ];
    const check: Step = {
      title: `Check the certificate of ${name}`,
      run: CHECK_PAIR,
      env: { CERTIFICATE: [certificate], KEY: [key] },
      undo: ':',
    };
    return { first: [...openssl, ...(files.length > 0 ? [check] : [])], files };
  }

  const acme = tls.acme ?? '';
  const hook = ensureFile(tlsHook, { content: hookScript(service, acme), mode: '0700' });
  const temporary = found.tlsMissing.map(temporaryCertificate);
  const isCopied = found.tlsIsCopied && hook.length === 0 && temporary.length === 0;
  // A roll-back restores the files of another source.
  const former = hook.length > 0 ? gone : [];
  const remove = former.length > 0 || !tlsKey.exists;
  const copy: Step = {
    title: `Take the certificate ${acme} of acme for ${name}`,
    run: sh`${hookPath(name)} ${acme}`,
    undo: remove ? sh`rm -f ${Object.values(tlsFiles(name))}` : ':',
  };
  return { first: [...openssl, ...temporary], files: [...hook, ...former, ...(isCopied ? [] : [copy])] };
}

const faultOf = (name: string, why: string) =>
  inputError({
    code: 'bad-certificate',
    what: 'use the certificate',
    on: name,
    why,
    hint: 'provide the certificate with its chain, and its key, both in PEM',
  });

/**
 * That the service serves the certificate that it has, by TLS, and that this ends not too soon.
 *
 * @param at where it listens, `127.0.0.1:5432`, and what is said before TLS begins there, as openssl names it
 */
export function tlsHealth(name: string, { warnBefore }: ServiceTls, at: { connect: string; starttls?: string }): HealthCheck[] {
  const { certificate } = tlsFiles(name);
  const starttls = at.starttls ? ['-starttls', at.starttls] : [];
  return [
    {
      title: `${name} serves its certificate by TLS`,
      command: sh`timeout 10 openssl s_client -connect ${at.connect} ${starttls} -brief -verify_return_error -partial_chain -CAfile <(openssl x509 -in ${certificate}) </dev/null 2>&1`,
      expect: 'Verification: OK',
    },
    validForLong(name, warnBefore),
  ];
}

/** That a service's certificate does not end within so many seconds. */
export const validForLong = (name: string, warnBefore: number): HealthCheck => ({
  title: `the certificate of ${name} is valid for long enough`,
  command: sh`openssl x509 -in ${tlsFiles(name).certificate} -noout -enddate -checkend ${warnBefore} 2>&1`,
  expect: 'will not expire',
});
