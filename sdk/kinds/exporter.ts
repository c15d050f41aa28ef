import type { Facts } from '../../core/host/facts.js';
import { addressesOf, askAt, hostPart } from '../../core/host/listening.js';
import type { ServiceTls } from '../../core/schema/service-tls.js';
import { MANAGED_FILE_HEADER } from '../../core/taskserv/managed-file-header.js';
import { type Text, text } from '../../core/taskserv/secret.js';
import type { HealthCheck, HealthContext, Taskserv } from '../../core/taskserv/taskserv.js';
import { type PackageService, packageService, type ServiceFile } from './package.js';
import { webConfigArgs, webConfigFile, webHealth, webTls } from './shared/web-tls.js';

const HEAD = MANAGED_FILE_HEADER;

/** What the configuration of every exporter has. */
interface ExporterConfig {
  port: number;
  tls?: ServiceTls | undefined;
}

type FileAt = Parameters<ServiceFile<never>['content']>[1];

/** The context in which the arguments of an exporter are written. */
export interface ExporterAt extends FileAt {
  /** The arguments of an exporter that speaks TLS: the addresses that it listens on, and the file with its certificate. */
  web: { listen: readonly string[]; tls: readonly string[] };
}

type Described = 'name' | 'overrides' | 'description' | 'versions' | 'requires' | 'config' | 'uses' | 'contents' | 'check';

/** An exporter for Prometheus: what it is started with, and what shows that it measures. */
export interface ExporterService<C extends ExporterConfig> extends Pick<PackageService<C>, Described> {
  /** Its endpoints. Default: `/metrics` on its port. */
  endpoints?: PackageService<C>['endpoints'];
  /** It takes `--web.config.file` and several addresses, as exporters of Prometheus itself do: then it speaks TLS. */
  speaksTls?: true | 'reloads';
  /** Its arguments. */
  args(config: C, at: ExporterAt): readonly string[];
  /** Lines with variables, before its arguments. */
  variables?(config: C, at: FileAt): readonly string[];
  /** Lines with secrets, after its arguments. Its file is then for root only. */
  secrets?(config: C): Text | undefined;
  /** Mode and owner of the file with its arguments, if the package brings others than the usual ones. */
  defaults?: Pick<ServiceFile<C>, 'mode' | 'owner'>;
  /** Files that are written before its arguments. */
  files?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** Files that are written after its arguments, such as drop-ins of its unit. */
  dropIns?: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** The title of its check of health, the text of the page that shows it, and the page (default: `/metrics`). */
  measures(config: C): { title: string; expect: string; page?: string };
}

/**
 * A taskserv of the kind *exporter*: a package service that Debian packages as `prometheus-NAME`, which gets its
 * arguments from `/etc/default` and serves metrics to Prometheus.
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
