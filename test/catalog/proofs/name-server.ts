/** Secret of the key with which a name server accepts updates. */
export const TSIG = 'cHJvdmVuIGJ5IGEgbmFtZSBzZXJ2ZXIgb2YgaXRzIG93bg==';

/**
 * Configures an installed bind with the zone example.org, which accepts updates with the key `acme`. The record
 * `shop`, with the address `ADDRESS`, is not one of our records.
 */
export const NAME_SERVER = `cat >/etc/bind/named.conf <<'EOF'
options { directory "/var/cache/bind"; recursion no; };
key "acme" { algorithm hmac-sha256; secret "${TSIG}"; };
zone "example.org" { type primary; file "/var/lib/bind/example.org"; update-policy { grant acme zonesub ANY; }; };
EOF
cat >/var/lib/bind/example.org <<EOF
\\$TTL 60
@ IN SOA b. hostmaster.example.org. 1 3600 600 604800 60
@ IN NS b.
shop IN A $ADDRESS
EOF
systemctl restart named`;
