/** Of a key by which a name server takes updates. */
export const TSIG = 'cHJvdmVuIGJ5IGEgbmFtZSBzZXJ2ZXIgb2YgaXRzIG93bg==';

/**
 * Configures a bind that is installed, with the zone example.org, which takes updates by the key `acme`. Its name in the
 * zone, `shop` where `ADDRESS` is, is no record of ours.
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
