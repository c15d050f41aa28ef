import { type ErrorDetails, TRANSIENT } from './errors.js';

/** Kind of an error for its caller. Each code has one, and exit codes, HTTP statuses and MCP errors follow from it. */
export type ErrorKind =
  | 'bad-input'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'too-many'
  | 'unavailable'
  | 'internal';

/** The codes of each kind, with spaces between. docs/reference/wire-names.md has the same list, docs/operate/troubleshooting.md what each means. */
export const CODES_BY_KIND: Readonly<Record<ErrorKind, string>> = {
  'bad-input': `
    age-key app-not-asked artifact-refused aws-refused backup-damaged backup-engine backup-key bad-arguments bad-bundle
    bad-call bad-certificate bad-cursor bad-definition bad-engine bad-engine-hash bad-export bad-identity bad-limits bad-lock-file
    bad-name bad-path bad-plan bad-plan-file bad-platform bad-port bad-report-file bad-request bad-script bad-settings
    cannot-import config-editor config-environment config-infra config-key config-layer config-sealed config-value
    content-type context-name data-not-moved definition-file-needed demo-host demo-refused docker-refused encryption-key
    encryption-setting engine-certificates engine-hash engine-not-configured first-boot-failed given-refused home-path-long
    host-key-not-replaced host-not-served idempotency-key-refused import-login import-what journal-sealed jump-host-form
    key-file kms-needed kms-setting login-without-shell member-certificates member-home member-invitation member-login
    member-name member-store member-temporal module-failed name-not-allowed needs-this-machine needs-yes network-range
    no-encryption-key no-name no-region no-search-attributes no-systemd not-in-toml outside-root plan-not-possible preview-id
    question-without-terminal recovery-copy refused-by-provider sealed-altered sealed-file secret-name
    secret-not-expressible secret-scope server-ca server-name server-url settings-say sops-editor sops-file sops-key
    sops-rule sops-tampered sops-unsupported source-not-resolved ssh-key-unreadable store-address store-by-variable
    store-key store-move-to sweep-grace temporal-config this-machine token-in-url topology-unavailable value-not-written verb-not-allowed
    version-not-in-archive version-not-written version-older version-skipped version-unsupported version-withdrawn
    versions-not-genuine volume-shrinks volume-size volume-too-small which-infra which-server which-servers which-topology
    workspace-name zone-ambiguous`,
  unauthenticated: `
    bad-token code-refused credentials given-credentials no-credentials not-logged-in passphrase server-certificate ssh-key-refused store-certificate
    store-password
    temporal-certificate`,
  forbidden: `
    address-refused authority-lost config-scope cost-ceiling cross-site destruction-not-allowed docker-not-permitted file-is-a-link file-not-written
    folder-not-private folder-not-writable forbidden host-key-changed host-managed-by-another
    key-refused label-not-allowed lock-file-not-written member-superuser not-accessible not-for-tenants not-permitted
    owned-by-another protected protected-at-vendor quota-exceeded read-only refused rule-broken sealed-refused
    secret-not-declared secret-out-of-reach signature-refused ssh-key-not-allowed store-permission sudo-refused temporal-refused
    this-host-not-allowed unsafe-login`,
  'not-found': `
    address-elsewhere blob-missing definition-not-kept entity-ended environment-unknown
    given-missing host-image-missing host-key-unknown infra-key-gone journal-gone module-missing network-gone
    network-missing no-address no-artifact no-backup no-file no-fleet no-go no-jump-host no-log no-machine no-member
    no-namespace no-value no-web-ui no-zones not-a-workspace not-installed nothing-applied nothing-sold
    nothing-to-back-up nothing-to-move nothing-to-recover nothing-to-roll-back payload-missing plan-not-in-zone price-unknown
    release-not-kept secret-not-set server-gone source-missing source-not-kept store-no-database unknown-app
    unknown-audit-identity unknown-audit-record unknown-bundle unknown-call unknown-command unknown-context unknown-definition
    unknown-encryption-key unknown-environment
    unknown-image unknown-infra unknown-kind unknown-network unknown-operation unknown-output unknown-plan
    unknown-port unknown-process unknown-provider unknown-quota unknown-release unknown-role unknown-secret unknown-server
    unknown-service unknown-service-account unknown-taskserv unknown-template unknown-tenant unknown-token unknown-topology
    unknown-transfer
    unknown-version unknown-workspace
    unknown-zone versions-missing versions-not-listed volume-gone workspace-folder-gone workspace-not-registered
    zone-missing`,
  conflict: `
    already-paused already-stopping ambiguous-hosts backup-exists bad-record canceled cannot-skip cannot-switch cannot-switch-over changed-since
    context-exists data-cannot-move data-in-the-way data-written definition-changed dns-foreign encryption-key-twice
    engine-already-own engine-file-version engine-runs environment-exists environment-not-removed exists feed-conflict
    feed-gap file-exists folder-not-empty former-home former-operations former-workflows frozen grant-lost grant-superseded
    group-unknown groups-differ
    home-not-empty idempotency-answer-not-kept idempotency-key-in-use idempotency-key-reused idempotency-outcome-unknown
    import-unfinished in-use infra-lives infra-lost keys-from-environment last-administrator mount-point-in-use
    mount-point-shared name-taken
    network-differs network-full network-in-use network-overlap newer-workflows no-existing-hosts no-input-taken
    no-subnet-left not-frozen not-paused not-running not-stopping not-waiting operation-exists operations-in-backup
    other-environment other-infra other-plan other-provider other-resources other-workspace package-on-hold paused-outside plan-changed
    port-in-use port-taken precondition-failed quorum-lost restore-unfinished server-stopped server-stuck
    settings-former share-expired share-not-made
    state-superseded still-running store-differs store-foreign store-former store-newer store-not-empty superseded
    tenant-in-use too-many-transfers unsupported-host upload-unfinished version-in-use volume-changed-recently volume-not-blank workspace-busy workspace-exists
    workspace-folder-registered workspace-in-use workspace-name-taken workspace-not-frozen`,
  'too-large': `
    backup-too-large look-too-large output-too-large too-large`,
  'too-many': `
    logs-limited rate-limited versions-limited`,
  unavailable: `
    answer-lost api-start artifact-not-fetched aws-answer aws-failed aws-not-settled aws-unreachable config-busy
    connection-lost demo-lost-answer demo-weather disk-full docker-failed docker-not-found docker-not-running ended-at-once
    engine-backup engine-build engine-not-answering engine-not-running engine-start engine-unreachable first-boot-late
    given-unreachable gone-meanwhile hetzner-busy hetzner-unreachable hetzner-unreadable host-disk-full host-no-memory
    host-not-marked host-read-only host-too-late host-unreachable image-build-failed install-failed journal-broken
    key-service look-broken look-late member-program no-answer no-browser no-capacity no-definition no-free-port no-ssh
    no-worker not-followed nothing-listens pull-failed records-changed resource-busy server-unreachable service-start ssh-handshake
    store-moved store-unreachable timed-out too-many-files upcloud-failed upcloud-not-settled upcloud-unreachable
    usage-unknown versions-not-answered versions-unreadable work-lost worker-start`,
  internal: `
    ambiguous-server audit-record aws-misasked bad-answer bad-versions engine-silent feed-damaged given-up hetzner-answer hetzner-misasked
    left no-engine-module no-package no-set-up no-start-time not-built not-sealed payload-form process-survives
    recording-has-secret rejected secret-file step-failed store-failed terminated unexpected unhealthy
    upcloud-answer upcloud-refused worker-killer`,
};

const KINDS: ReadonlyMap<string, ErrorKind> = new Map(
  Object.entries(CODES_BY_KIND).flatMap(([kind, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, kind as ErrorKind] as const),
  ),
);

/** The codes with their kinds. */
export const kindsByCode = (): ReadonlyMap<string, ErrorKind> => KINDS;

/** The kind of an error. A code that this release does not know, such as one of a newer worker, has that of its blame. */
export function kindOf({ code, blame, absent }: Pick<ErrorDetails, 'code' | 'blame' | 'absent'>): ErrorKind {
  const known = kindsByCode().get(code);
  if (known !== undefined) return known;
  if (absent || blame === TRANSIENT) return 'unavailable';
  return blame === 'user' ? 'bad-input' : 'internal';
}

const HTTP_STATUSES: Readonly<Record<ErrorKind, number>> = {
  'bad-input': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'too-many': 429,
  unavailable: 503,
  internal: 500,
};

/** The status of an HTTP response with an error of this kind (api/response/problem.ts says more exactly what HTTP can). */
export const httpStatusOf = (kind: ErrorKind): number => HTTP_STATUSES[kind];

/** Codes of JSON-RPC and MCP if they have one (-32602, -32002, -32603). Other codes are of the range for servers. */
const MCP_CODES: Readonly<Record<ErrorKind, number>> = {
  'bad-input': -32602,
  unauthenticated: -32001,
  forbidden: -32003,
  'not-found': -32002,
  conflict: -32009,
  'too-large': -32013,
  'too-many': -32029,
  unavailable: -32053,
  internal: -32603,
};

/** Returns the code of an MCP error of this kind. Only tests use it: no MCP interface exists yet. */
export const mcpErrorCodeOf = (kind: ErrorKind): number => MCP_CODES[kind];
