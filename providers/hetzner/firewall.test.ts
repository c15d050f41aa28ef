import { expect, test } from 'vitest';
import { firewallFor } from '../../core/machine/firewall.js';
import { sameRules } from '../../sdk/index.js';
import { rulesIn, vendorRules } from './firewall.js';

test('whatever the rules are, SSH is let in, and is no rule of the definition', () => {
  for (const rules of [[], firewallFor([], []), firewallFor([], [{ name: 'http', port: 80, public: ['192.0.2.0/24'] }])]) {
    const written = vendorRules(rules);
    expect(written).toContainEqual(expect.objectContaining({ port: '22', protocol: 'tcp', source_ips: ['0.0.0.0/0', '::/0'] }));
    expect(sameRules(rulesIn(written), rules)).toBe(true);
    // Without our SSH rule, it does not count as our firewall any more, and an apply restores it.
    expect(rulesIn(written.slice(1))).toBeUndefined();
  }
});
