// Tests the SSRF guard's decisions about addresses (W3), by example and by property.
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { examineUrl, type GuardPolicy, isPublicAddress } from './guard.ts';

const STRICT: GuardPolicy = { allowCidrs: [], allowHttp: false };
const LOOPBACK: GuardPolicy = { allowCidrs: ['127.0.0.0/8', '::1/128'], allowHttp: true };
const EVERYTHING: GuardPolicy = { allowCidrs: ['0.0.0.0/0', '::/0'], allowHttp: true };

const DENIED = `
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1 169.254.169.254
172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255
198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16
:: ::1 ::127.0.0.1 ::10.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::
3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 1fff:ffff::1
`.match(/\S+/g);

const ALLOWED = `
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255 172.15.255.255 172.32.0.0
192.0.1.1 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450::1 3ffe:ffff::1
`.match(/\S+/g);

describe('W3: addresses', () => {
  it.each(DENIED ?? [])('refuses the address %s', (address) => {
    expect(isPublicAddress(address, STRICT)).toBe(false);
  });

  it.each(ALLOWED ?? [])('allows the address %s', (address) => {
    expect(isPublicAddress(address, STRICT)).toBe(true);
  });

  it.each([
    '',
    'example.com',
    '0x7f.1',
    '2130706433',
    '127.1',
    '010.0.0.1',
    '8.8.8.8 ',
    '8.8.8',
    '1.2.3.4.5',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '[::1]',
    '8.8.8.8/32',
  ])('refuses anything but one address in canonical spelling, even with every exception: %j', (text) => {
    expect(isPublicAddress(text, STRICT)).toBe(false);
    expect(isPublicAddress(text, EVERYTHING)).toBe(false);
  });

  it('refuses every refused IPv4 address also as mapped, translated, compatible or 6to4 IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(v4).octets;
        const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        for (const v6 of [
          `::ffff:${groups}`,
          `64:ff9b::${groups}`,
          `::${groups}`,
          `::ffff:0:${groups}`,
          `2002:${groups}::`,
        ]) {
          expect(isPublicAddress(v6, STRICT)).toBe(false);
        }
      }),
    );
  });
});

describe('W3: the operator’s exceptions', () => {
  it('allow what they name, also as a mapped address, and nothing else', () => {
    expect(isPublicAddress('127.0.0.1', LOOPBACK)).toBe(true);
    expect(isPublicAddress('::1', LOOPBACK)).toBe(true);
    expect(isPublicAddress('::ffff:127.0.0.1', LOOPBACK)).toBe(true);
    expect(isPublicAddress('10.0.0.1', LOOPBACK)).toBe(false);
    expect(isPublicAddress('::2', LOOPBACK)).toBe(false);
    expect(isPublicAddress('::127.0.0.1', LOOPBACK)).toBe(false);
    expect(isPublicAddress('fd00::1', { ...STRICT, allowCidrs: ['fd00::/8'] })).toBe(true);
  });

  it('allow nothing for an invalid CIDR', () => {
    expect(isPublicAddress('10.0.0.1', { ...STRICT, allowCidrs: ['', '10.0.0.1', '10.0.0.0/99', 'all'] })).toBe(false);
  });

  it.each([
    ...[
      '169.254.169.254',
      '169.254.170.2',
      '169.254.170.23',
      '168.63.129.16',
      '100.100.100.200',
      'fd00:ec2::254',
      'fd00:ec2::23',
    ],
    ...[
      'fd20:ce::254',
      '::ffff:169.254.169.254',
      '::a9fe:a9fe',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
    ],
    ...['::ffff:100.100.100.200', '64:ff9b::168.63.129.16'],
  ])('never allow the metadata service %s', (address) => {
    expect(isPublicAddress(address, EVERYTHING)).toBe(false);
    expect(
      examineUrl(address.includes(':') ? `https://[${address}]/` : `https://${address}/`, EVERYTHING),
    ).toMatchObject({ ok: false });
  });
});
