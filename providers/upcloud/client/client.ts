import { createAccountCalls } from './account.js';
import { createFirewallRuleCalls } from './firewall-rules.js';
import { createGatewayCalls } from './gateways.js';
import { createHostCalls } from './hosts.js';
import { openHttp, type UpCloudOptions } from './http.js';
import { createIpAddressCalls } from './ip-addresses.js';
import { createLoadBalancerCalls } from './load-balancers.js';
import { createNetworkCalls } from './networks.js';
import { createOfferCalls } from './offer.js';
import { createRouterCalls } from './routers.js';
import { createServerGroupCalls } from './server-groups.js';
import { createServerCalls } from './servers.js';
import { createStorageCalls } from './storages.js';
import { createTagCalls } from './tags.js';
import { createTokenCalls } from './tokens.js';

/** Creates a client of the UpCloud API 1.3. Every call throws `UpCloudError`, without retries. */
export function upcloudClient(options: UpCloudOptions) {
  const http = openHttp(options);
  return {
    servers: createServerCalls(http),
    storages: createStorageCalls(http),
    networks: createNetworkCalls(http),
    routers: createRouterCalls(http),
    gateways: createGatewayCalls(http),
    firewallRules: createFirewallRuleCalls(http),
    ipAddresses: createIpAddressCalls(http),
    serverGroups: createServerGroupCalls(http),
    loadBalancers: createLoadBalancerCalls(http),
    hosts: createHostCalls(http),
    tags: createTagCalls(http),
    offer: createOfferCalls(http),
    account: createAccountCalls(http),
    tokens: createTokenCalls(http),
    /** For requests without a call of their own. */
    http,
  };
}
export type UpCloudClient = ReturnType<typeof upcloudClient>;
