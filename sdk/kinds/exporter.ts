import type { Facts } from '../../core/host/facts.js';
import { addressesOf, askAt, hostPart } from '../../core/host/listening.js';
import type { ServiceTls } from '../../core/schema/service-tls.js';
import { MANAGED_FILE_HEADER } from '../../core/taskserv/managed-file-header.js';
import { type Text, text } from '../../core/taskserv/secret.js';
import type { HealthCheck, HealthContext, Taskserv } from '../../core/taskserv/taskserv.js';
import { type PackageService, packageService, type ServiceFile } from './package.js';
import { webConfigArgs, webConfigFile, webHealth, webTls } from './shared/web-tls.js';

const HEAD = MANAGED_FILE_HEADER;

/** Fields of every exporter's configuration. */
interface ExporterConfig {
  port: number;
  tls?: ServiceTls | undefined;
}

type FileAt = Parameters<ServiceFile<never>['content']>[1];

/** Context for the arguments of an exporter. */
export interface ExporterAt extends FileAt {
  /** Arguments of an exporter with TLS: the addresses that it listens on, and the file with its certificate. */
  web: { listen: readonly string[]; tls: readonly string[] };
}

type Described = 'name' | 'overrides' | 'description' | 'versions' | 'requires' | 'config' | 'uses' | 'contents' | 'check';

/** Exporter for Prometheus: its arguments, and the test that it measures. */
export interface ExporterService<C extends ExporterConfig> extends Pick<PackageService<C>, Described> {
  /** Its endpoints. Default: `/metrics` on its port. */
  endpoints?: PackageService<C>['endpoints'];
  /**
   * Whether it accepts `--web.config.file` and several addresses, like Prometheus' own exporters. It then speaks TLS.
   */
  speaksTls?: true | 'reloads';
  /** Its arguments. */
  args(config: C, at: ExporterAt): readonly string[];
  /** Lines with variables, before its arguments. */
  variables?(config: C, at: FileAt): readonly string[];
  /** Lines with secrets, after its arguments. Its file is then for root only. */
  secrets?(config: C): Text | undefined;
  /** Mode and owner of the file with its arguments, if the package uses unusual ones. */
  defaults?: Pick<ServiceFile<C>, 'mode' | 'owner'>;
  /** Files that are written before its arguments. */
  files?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** Files that are written after its arguments, such as drop-ins of its unit. */
  dropIns?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** Its health check: the title, the expected text, and the page that shows the text (default: `/metrics`). */
  measures(config: C): { title: string; expect: string; page?: string };
}

/**
 * Creates a taskserv of the kind *exporter*: a package service from the Debian package `prometheus-NAME`. It reads its
 * arguments from `/etc/default`, and serves metrics to Prometheus.
 */
export function exporterService<C extends ExporterConfig>(kind: ExporterService<C>): Taskserv<C, Facts> {
  const { speaksTls, args, variables, secrets, defaults, files = {}, dropIns = {}, measures, ...service } = kind;
  const { name } = kind;
  const packageName = `prometheus-${name}`;

  function content(config: C, at: FileAt): Text {
    const listen = (addressesOf(at.listening) ?? ['']).map((one) => `--web.listen-address=${hostPart(one)}:${config.port}`);
    const given = args(config, { ...at, web: { listen, tls: webConfigArgs(name, config) } });
    const lines = [HEAD, ...(variables?.(config, at) ?? []), `ARGS="${given.join(' ')}"`, ''].join('\n');
    const hidden = secrets?.(config);
    return hidden === undefined ? lines : text`${lines}${hidden}`;
  }

  function health(config: C, { listening }: HealthContext & Pick<FileAt, 'listening'>): HealthCheck[] {
    const { title, expect, page = '/metrics' } = measures(config);
    if (speaksTls) return [webHealth(title, `127.0.0.1:${config.port}`, page, config, expect)];
    return [{ title, http: `http://${askAt(listening)}:${config.port}${page}`, expect }];
  }

  return packageService<C>({
    category: 'observability',
    holds: [],
    supports: { os: ['debian'] },
    endpoints: ({ port, tls }) => [{ name: 'metrics', port, path: '/metrics', ...(tls && { tls: true }) }],
    ...service,
    package: packageName,
    listens: 'metrics',
    files: {
      ...(speaksTls && { web: webConfigFile(name) }),
      ...files,
      defaults: { path: `/etc/default/${packageName}`, ...(secrets && { mode: '0600' }), ...defaults, content },
      ...dropIns,
    },
    ...(speaksTls && {
      tls: { ...webTls(({ port }) => ({ connect: `127.0.0.1:${port}` })), ...(speaksTls === 'reloads' && { reload: true }) },
    }),
    health,
  });
}
