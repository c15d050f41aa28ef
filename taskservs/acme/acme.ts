import { debianVersions, fact, packageService, type Step, sh, timerFile } from '../../sdk/index.js';
import { type AcmeConfig, acmeConfig } from './acme-config.js';
import { AUTHORITY, acmeScript, ENVIRONMENT, environmentFile, HEAD, requestOf, SCRIPT } from './acme-script.js';

const SERVICE = `${HEAD}[Unit]
Description=Renew certificates
Wants=network-online.target
After=network-online.target nss-lookup.target

[Service]
Type=oneshot
ExecStart=${SCRIPT} renew
ProtectSystem=strict
ReadWritePaths=/etc/acme /var/lib/acme -/etc/tls
ProtectHome=yes
PrivateTmp=yes
NoNewPrivileges=yes
`;

const timer = ({ schedule }: AcmeConfig): string => HEAD + timerFile('Renew certificates at set times', schedule, { delay: '2h' });

/** A certificate as it is deployed: what was asked for, and whose its files are. */
interface Deployed {
  name: string;
  request: string;
  group: string;
  good: boolean;
}

/** `NAME REQUEST GROUP good|bad` for each; bad is what is over, or is not what was got. */
const deployedFact = () =>
  fact<Deployed[]>(
    `for mark in /var/lib/acme/*/deployed; do
  [ -s "$mark" ] || continue
  folder=\${mark%/deployed}; name=\${folder##*/}; read -r request <"$mark"; is=bad
  at=/etc/acme/$name; group=$(stat -c %G "$at/key.pem" 2>/dev/null) || group=-
  if [ -s "$at/combined.pem" ] && openssl x509 -in "$at/certificate.pem" -noout -checkend 0 >/dev/null 2>&1 &&
    [ "$(cat "$at/certificate.pem" "$at/key.pem" | cksum)" = "$(cksum <"$at/combined.pem")" ]; then is=good; fi
  printf '%s %s %s %s\\n' "$name" "$request" "$group" "$is"
done`,
    ({ stdout }) =>
      stdout
        .split('\n')
        .map((line) => line.split(' '))
        .flatMap(([name, request, group, is]) => (name && request && group ? [{ name, request, group, good: is === 'good' }] : [])),
    [],
  );

function certificateSteps(config: AcmeConfig, deployed: Deployed[]): Step[] {
  const get = config.certificates.flatMap((certificate): Step[] => {
    const { name, domains, group } = certificate;
    const request = requestOf(config, certificate);
    const former = deployed.find((one) => one.name === name);
    if (former?.request === request && former.group === group && former.good) return [];
    return [
      {
        title: `Get certificate ${name} for ${domains.join(', ')}`,
        run: sh`${SCRIPT} get ${name}`,
        undo: former ? sh`${SCRIPT} deploy ${name} ${former.request}` : sh`${SCRIPT} withdraw ${name}`,
      },
    ];
  });
  const others = deployed.filter(({ name }) => !config.certificates.some((one) => one.name === name));
  return [
    ...get,
    ...others.map(({ name, request }) => ({
      title: `Withdraw certificate ${name}`,
      run: sh`${SCRIPT} withdraw ${name}`,
      undo: sh`${SCRIPT} deploy ${name} ${request}`,
    })),
  ];
}

/** Gets certificates from an ACME authority, and renews them. */
export const acme = packageService({
  name: 'acme',
  category: 'certificates',
  holds: [],
  description: 'Gets certificates from an ACME authority, and renews them before they expire.',
  versions: debianVersions({ 12: '4.9', 13: '4.9' }),
  supports: { os: ['debian'] },
  // They pass on what the authority asks for, begin with a certificate of their own, and the names lead to them.
  after: ['haproxy', 'nginx', 'bind', 'dns-records', 'cloud-dns'],
  config: acmeConfig,
  endpoints: ({ httpPort, dns }) => (dns ? [] : [{ name: 'acme-http', port: httpPort, ...(httpPort !== 80 && { local: true }) }]),
  package: 'lego',
  furtherPackages: ['ca-certificates', 'openssl'],
  unit: 'acme.timer',
  files: {
    authority: { path: AUTHORITY, content: ({ authority }) => authority },
    environment: { path: ENVIRONMENT, content: environmentFile, mode: '0600' },
    script: { path: SCRIPT, content: acmeScript, mode: '0700' },
    service: { path: '/etc/systemd/system/acme.service', content: () => SERVICE },
    timer: { path: '/etc/systemd/system/acme.timer', content: timer },
  },
  contents: { fact: deployedFact, steps: certificateSteps },
  health: ({ certificates, renewBefore }) => [
    { title: 'certificates are renewed at set times', command: 'systemctl is-active acme.timer', expect: 'active' },
    { title: 'the last renewal did not fail', command: 'systemctl show -p Result --value acme.service', expect: 'success' },
    ...certificates.map(({ name }) => ({
      title: `certificate ${name} is valid for long enough`,
      // Prints until when; it should have been renewed long before so little is left.
      command: sh`openssl x509 -in ${`/etc/acme/${name}/certificate.pem`} -noout -enddate -checkend ${Math.floor(renewBefore / 3)} 2>&1`,
      expect: 'will not expire',
    })),
  ],
});
