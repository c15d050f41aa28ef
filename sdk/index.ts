/**
 * API for authors of taskservs and providers, imported as `provisioning/sdk`. The built-in taskservs and providers
 * import nothing else of the platform, so they compile unchanged in another repository.
 */

// Providers: machines, networks, volumes and prices.
export type { ExistingHost, Plan, VolumeSpec } from '../core/definition/definition.js';
export { rangeBounds, rangesOverlap } from '../core/definition/network-range.js';
export { fingerprint, quickHash, same } from '../core/encoding/hash.js';
export { sha256 } from '../core/encoding/sha256.js';
// Errors: failed action, object, reason and blame.
export {
  absentError,
  type Blame,
  bugError,
  type ErrorDetails,
  inputError,
  messageOf,
  ProvisioningError,
  TRANSIENT,
  unreachableError,
} from '../core/errors.js';
// Taskservs: facts, plan and health.
export { APT, holdOf, installPackages, READ_LISTS } from '../core/host/apt.js';
export {
  absentValue,
  type CommandOutput,
  debian,
  type Fact,
  type Facts,
  type FoundFacts,
  FoundFile,
  type FoundPackage,
  type FoundService,
  fact,
  file,
  systemd,
  upstreamVersion,
} from '../core/host/facts.js';
export { splitPath } from '../core/host/host-paths.js';
export {
  addressesOf,
  askAt,
  ensureWait,
  hostPart,
  type ListenAddress,
  listeningOn,
  literalAddressesOf,
  reachedAt,
  reachedAtPort,
  waitFile,
} from '../core/host/listening.js';
export { NO_MACHINE_CREDENTIALS } from '../core/host/machine-credentials.js';
export { quote, sh } from '../core/host/shell.js';
export type { SimulatedHost } from '../core/host/simulated-host.js';
export type { Step, ZoneAt } from '../core/host/step.js';
export type { StepEffect } from '../core/host/step-change.js';
export { type FoundName, type FoundRecords, zoneRecords } from '../core/host/zone-records.js';
export { DEFAULT_ACCOUNT, findCredentials } from '../core/machine/account.js';
export { anotherOwnerHint } from '../core/machine/another-owner.js';
export type { CallContext, Scope } from '../core/machine/call-context.js';
export type { AccountReport, Catalog, CatalogImage, CatalogPlan, CatalogZone, Price } from '../core/machine/catalog.js';
export { childEnvironment } from '../core/machine/child-environment.js';
export { cloudInit } from '../core/machine/cloud-init.js';
export { describeExistingMachine } from '../core/machine/existing.js';
export { ANYWHERE, ruleText, sameRules } from '../core/machine/firewall.js';
export type { FirewallRule } from '../core/machine/firewall-rule.js';
export { createAtomically } from '../core/machine/or-nothing.js';
export {
  type Access,
  type AnyProvider,
  type Backup,
  type Connection,
  type CreateContext,
  type CredentialSource,
  type Diff,
  defineProvider,
  type FoundNetwork,
  type FoundServer,
  type OtherKind,
  type OwnedThing,
  type ProviderConnection,
  type Size,
  type UnmanagedServer,
  type WantedNetwork,
  type WantedServer,
} from '../core/machine/provider.js';
export type { RecordChange, RecordSet, ZoneVerbs } from '../core/machine/zones.js';
export type { Reporter } from '../core/report.js';
// Fields of configurations, in zod.
export { type FileContent, fileContent, folderContent } from '../core/schema/contents.js';
export { CADDY, directivesProblem, NGINX } from '../core/schema/directives.js';
export { anyPort, duration, endpoint, isIpv6, network, port, secret, size } from '../core/schema/fields.js';
export { artifactSource, ownArtifact } from '../core/schema/own-artifact.js';
export { calendar, createKeptBackupsSchema } from '../core/schema/schedule.js';
export { checkServerContents } from '../core/schema/server-contents.js';
export { type ServiceTls, tlsAlone, tlsOnAnotherPort, tlsOnItsPort } from '../core/schema/service-tls.js';
export { absolutePath, host, hostName, hostPort, line } from '../core/schema/text-fields.js';
export { acmeCertificate, tls } from '../core/schema/tls.js';
export type { AgreeingServer, Agreement, Disagreement } from '../core/taskserv/agreement.js';
export { locateApp } from '../core/taskserv/app-layout.js';
export {
  type AptSource,
  aptSourceFacts,
  ensureAptSource,
  ensureNoAptSource,
  type FoundAptSource,
} from '../core/taskserv/apt-source.js';
export { artifactsIn, ensureArtifact, ensureNoArtifact, type FoundArtifact } from '../core/taskserv/artifacts.js';
export type { DataMove, MoveContext, MovePart } from '../core/taskserv/data-move.js';
export { encodeSecret, type SecretFormat } from '../core/taskserv/encoders/encoders.js';
export { SSH_PUBLIC_KEY } from '../core/taskserv/encoders/plain.js';
export type { Group, GroupContext, Member, Share, Standing } from '../core/taskserv/groups/group.js';
export { share } from '../core/taskserv/groups/share.js';
export { keepsRunning } from '../core/taskserv/keeps-running.js';
export { MANAGED_FILE_HEADER, managedFileHeader } from '../core/taskserv/managed-file-header.js';
export { type Mirror, mirrorOf } from '../core/taskserv/mirrors.js';
export { foldersOfTree, type OwnFile, type OwnFiles, treeAt } from '../core/taskserv/own-files/own-file.js';
export {
  ensureNoOwnFiles,
  ensureOwnFiles,
  type OwnFilesFacts,
  ownFilesFacts,
  pairsFact,
} from '../core/taskserv/own-files/own-files.js';
export { siteTrees } from '../core/taskserv/own-files/site-trees.js';
export {
  checkFirst,
  ensureContent,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  gentlestChange,
} from '../core/taskserv/plans.js';
export { findPublishedArtifact, parseImportedVersions, versionsOf } from '../core/taskserv/published-artifact.js';
export { findSecretRefs, isSecretRef, reveal, type SecretRef, secretAs, type Text, text } from '../core/taskserv/secret.js';
export {
  ensureTls,
  type FoundTls,
  type TlsService,
  tlsFacts,
  tlsFiles,
  tlsHealth,
  tlsReads,
  validForLong,
} from '../core/taskserv/service-tls.js';
export { FORMER_FILE, NOTE_CHANGE, undoIfNoted } from '../core/taskserv/step-note.js';
export {
  type AnyTaskserv,
  type DrainTarget,
  defineTaskserv,
  type Endpoint,
  type Exclusive,
  type HealthCheck,
  type HealthContext,
  type HeldData,
  type HostContext,
  listOffered,
  type OfferedEndpoint,
  type Peer,
  type PlanContext,
} from '../core/taskserv/taskserv.js';
export {
  acmeFiles,
  CHALLENGE_PATH,
  challengePort,
  missingCertificates,
  TLS12_CIPHERS,
  TLS12_GO_CIPHERS,
  temporaryCertificate,
} from '../core/taskserv/tls.js';
export { checkEnvironmentFile, confinedService, hardenedService, timerFile } from '../core/taskserv/unit-texts.js';
export { resolveWrittenAddress, urlAsWritten } from '../core/taskserv/written-address.js';
export { debianVersions } from '../core/versions/release-versions.js';
// Definitions and batches in TypeScript.
export { type BatchFile, defineBatch, defineInfra, type InfraFile, type InfraInput } from './define-infra.js';
// Kinds: taskservs with the same kind of installation.
export { type BackupService, backupFields, backupService, keepArgs, lines } from './kinds/backup.js';
export { type ExporterAt, type ExporterService, exporterService } from './kinds/exporter.js';
export { type KeyValueStore, keyValueService } from './kinds/key-value/service.js';
export { type Contents, type PackageService, type PackageTls, packageService, type ServiceFile } from './kinds/package.js';
export { type ReleaseService, releaseService } from './kinds/release.js';
export type { ReleaseAt } from './kinds/release-unit.js';
export { type SettingsService, settingsService } from './kinds/settings.js';
export { resolvesNames } from './kinds/shared/dns.js';
export { webConfigArgs, webConfigFile, webHealth, webTls } from './kinds/shared/web-tls.js';
export { type VendorService, vendorService } from './kinds/vendor.js';
