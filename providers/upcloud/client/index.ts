export type { Account } from './account.js';
export { retryAfterMs } from './answer.js';
export { type UpCloudClient, upcloudClient } from './client.js';
export { type FailureKind, type InvalidParam, isNotFound, UpCloudError } from './error.js';
export type { LabelFilter, Page } from './filters.js';
export type { FirewallRule, FirewallRuleCreate } from './firewall-rules.js';
export type { Gateway, GatewayCreate, GatewayModify, RunningGateway } from './gateways.js';
export type { Host } from './hosts.js';
export type { CallOptions, Credentials, InspectedAnswer, UpCloudOptions } from './http.js';
export type { IpAddress, IpAddressCreate, IpAddressModify } from './ip-addresses.js';
export type { LoadBalancer, LoadBalancerCreate } from './load-balancer-schema.js';
export type { Network, NetworkCreate, NetworkModify } from './networks.js';
export type { Plan, PriceItem, PriceZone, Zone } from './offer.js';
export type { Router, RouterCreate, RouterModify } from './routers.js';
export type { ServerGroup, ServerGroupCreate, ServerGroupModify } from './server-groups.js';
export type {
  InterfaceCreate,
  InterfaceModify,
  Server,
  ServerCreate,
  ServerInterface,
  ServerModify,
  ServerSummary,
  StorageDevice,
} from './server-schema.js';
export type { RestartOptions, StartOptions, StopOptions, StorageAttach } from './servers.js';
export type { Storage, StorageClone, StorageCreate, StorageKind, StorageModify } from './storages.js';
export type { Tag, TagCreate, TagModify } from './tags.js';
export type { Token, TokenCreate } from './tokens.js';
export type { WaitOptions } from './wait.js';
export { type Label, labelsOf, recordOf } from './wire.js';
