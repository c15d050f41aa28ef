import { type Blame, type ErrorDetails, ProvisioningError, TRANSIENT } from '../../sdk/index.js';

interface Meaning {
  code: string;
  blame: Blame;
  hint?: string;
}

const user = (code: string, hint?: string): Meaning => ({ code, blame: 'user', ...(hint ? { hint } : {}) });
const transient = (code: string): Meaning => ({ code, blame: TRANSIENT });
const bug = (code: string): Meaning => ({ code, blame: 'bug' });

const BUSY = transient('hetzner-busy');
const TOKEN = 'make a token for reading and writing in the console of the project, and set it as HCLOUD_TOKEN';

/** Meanings of the API's codes, from its documentation, for failed requests and failed actions. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  // The caller is not permitted.
  unauthorized: user('credentials', TOKEN),
  forbidden: user('credentials', TOKEN),
  token_readonly: user('credentials', TOKEN),
  protected: user('protected-at-vendor', 'take the protection off in the console of the project'),
  // The requested resource is not possible.
  resource_limit_exceeded: user(
    'quota-exceeded',
    'ask for a higher limit in the console of the project, or delete what is not needed',
  ),
  limit_reached: user('quota-exceeded', 'ask for a higher limit in the console of the project'),
  invalid_input: user('refused-by-provider'),
  uniqueness_error: user('name-taken', 'choose another name for the infra, or delete what has it'),
  invalid_server_type: user(
    'plan-not-possible',
    'a smaller disk than the server was made with is not possible; see `provisioning provider plans hetzner`',
  ),
  incorrect_zone_mode: user('refused-by-provider', 'make it a primary zone: the records of a secondary one are set elsewhere'),
  unsupported_error: user('refused-by-provider'),
  placement_error: transient('no-capacity'),
  resource_unavailable: transient('no-capacity'),
  no_space_left_in_location: transient('no-capacity'),
  networks_overlap: user('network-overlap', 'give the networks of one server ranges that do not overlap'),
  no_subnet_available: user('network-full', 'give the network a larger range, or its servers a second network'),
  ip_not_available: user('network-full'),
  incompatible_network_type: user('refused-by-provider'),
  private_net_only_server: user('refused-by-provider'),
  firewall_managed_by_label_selector: user('refused-by-provider'),
  server_is_load_balancer_target: user('refused-by-provider'),
  cloud_resource_ip_not_allowed: user('refused-by-provider'),
  // Transient.
  conflict: BUSY,
  locked: BUSY,
  timeout: BUSY,
  service_error: BUSY,
  server_error: BUSY,
  unavailable: BUSY,
  maintenance: BUSY,
  unknown_error: BUSY,
  action_failed: BUSY,
  rate_limit_exceeded: transient('rate-limited'),
  resource_in_use: transient('in-use'),
  must_be_unassigned: transient('in-use'),
  volume_already_attached: transient('in-use'),
  primary_ip_assigned: transient('in-use'),
  primary_ip_already_assigned: transient('in-use'),
  floating_ip_assigned: transient('in-use'),
  server_not_stopped: BUSY,
  // The state has changed since the lookup: the next attempt looks again.
  not_found: transient('gone-meanwhile'),
  firewall_resource_not_found: transient('gone-meanwhile'),
  server_already_attached: transient('gone-meanwhile'),
  server_already_added: transient('gone-meanwhile'),
  firewall_already_applied: transient('gone-meanwhile'),
  server_has_ipv4: transient('gone-meanwhile'),
  server_has_ipv6: transient('gone-meanwhile'),
  // Our request is invalid.
  json_error: bug('hetzner-misasked'),
  method_not_allowed: bug('hetzner-misasked'),
  deprecated_api_endpoint: bug('hetzner-misasked'),
  primary_ip_datacenter_mismatch: user(
    'address-elsewhere',
    'an address stays in its zone: leave the zone, or take the address off the server first',
  ),
  primary_ip_version_mismatch: bug('hetzner-misasked'),
};

export interface VendorError {
  code: string;
  message: string;
  status?: number;
  /** Request id, which the vendor's support needs. */
  request?: string;
  /** Invalid fields, in the vendor's names. */
  fields?: readonly string[];
}

/** Converts the vendor's error to ours. The text keeps the original. */
export function translateError(
  vendor: VendorError,
  about: { what: string; on: string },
  more: Partial<ErrorDetails> = {},
): VendorFailure {
  const meaning = MEANINGS[vendor.code] ?? byStatus(vendor.status);
  const origin = [vendor.code, vendor.status && `HTTP ${vendor.status}`, vendor.request && `request ${vendor.request}`];
  const fields = vendor.fields?.length ? ` (${vendor.fields.join(', ')})` : '';
  const why = `${oneLine(vendor.message)}${fields} [${origin.filter(Boolean).join(', ')}]`;
  return new VendorFailure({ ...about, why, ...meaning, ...unknownThing(vendor), ...more }, vendor);
}

/** Error with the vendor's original code. */
export class VendorFailure extends ProvisioningError {
  readonly vendor: VendorError;
  constructor(details: ErrorDetails, vendor: VendorError) {
    super(details);
    this.vendor = vendor;
  }
}

export const vendorCode = (error: unknown): string | undefined => (error instanceof VendorFailure ? error.vendor.code : undefined);

const byStatus = (status = 500): Meaning =>
  status === 429 ? transient('rate-limited') : status >= 500 ? BUSY : user('refused-by-provider');

/** Finds the unknown resource of a definition, from the fields and the message of the error. */
function unknownThing({ code, message, fields = [] }: VendorError): Partial<Meaning> {
  if (code !== 'invalid_input' && code !== 'not_found' && code !== 'unsupported_error') return {};
  const about = (word: string) => fields.includes(word) || message.toLowerCase().includes(word.replace('_', ' '));
  if (about('image')) return user('unknown-image', 'see `provisioning provider images hetzner`');
  if (about('location')) {
    const elsewhere = /unsupported location|not (?:available|supported) in/i.test(message);
    return elsewhere
      ? user('plan-not-in-zone', 'see `provisioning provider plans hetzner` for the zones of each plan')
      : user('unknown-zone', 'see `provisioning provider zones hetzner`');
  }
  if (about('server_type')) return user('unknown-plan', 'see `provisioning provider plans hetzner`');
  return {};
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 300);
