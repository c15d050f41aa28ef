import { hostPart, type ListenAddress, MANAGED_FILE_HEADER, type SecretRef, secretAs, type Text, text } from '../../sdk/index.js';
import type { AppConfig } from './app-config.js';
import { releaseOf } from './release.js';

/** Address to which the application binds its port. */
function hostOf(listening: ListenAddress): string {
  if (typeof listening === 'object') return listening.address;
  return listening === 'all' ? '0.0.0.0' : '127.0.0.1';
}

/** URL by which the host itself queries the application. */
export const urlOf = ({ port, health }: AppConfig, listening: ListenAddress): string =>
  `http://${typeof listening === 'object' ? hostPart(listening.address) : '127.0.0.1'}:${port}${health}`;

const isSecret = (value: unknown): value is SecretRef => typeof value === 'object' && value !== null;

/** A variable as systemd reads it; between double quotes it takes all but a quote and a backslash as it is. */
function lineOf(name: string, value: string | number | boolean | SecretRef): Text {
  if (isSecret(value)) return text`${name}=${secretAs('environment-file', value)}\n`;
  return `${name}="${String(value).replaceAll(/[\\"]/g, '\\$&')}"\n`;
}

/** The environment of its processes. */
export function envFile(config: AppConfig, listening: ListenAddress): Text {
  const { env, port } = config;
  return variablesFile({ RELEASE: releaseOf(config), ...(port !== undefined && { HOST: hostOf(listening), PORT: port }), ...env });
}

/** Variables as systemd reads them from a file. */
export function variablesFile(variables: Record<string, string | number | boolean | SecretRef>): Text {
  const lines = Object.entries(variables).map(([name, value]) => lineOf(name, value));
  return lines.reduce<Text>((all, line) => text`${all}${line}`, `${MANAGED_FILE_HEADER}\n`);
}
