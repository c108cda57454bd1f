// Which packets a client may send when: tables of valid and invalid sequences.
import { describe, expect, it } from 'vitest';
import { createPacketValidator, type Packet } from './packet-validator.ts';

const message = (data?: unknown): Packet => ({ type: 'message', data });
const CONNECT = message('0');
const EVENT = message('2["presence",{"project_id":null,"item_id":null,"idle":false}]');
const PONG: Packet = { type: 'pong' };

const verdicts = (packets: Packet[]) => {
  const validator = createPacketValidator();
  return packets.map((packet) => validator.validate(packet));
};

describe('A9: a client', () => {
  it.each<[string, Packet[]]>([
    ['a CONNECT and events', [CONNECT, EVENT, EVENT]],
    ['a CONNECT with a payload', [message('0{"token":"x"}'), EVENT]],
  ])('may send %s', (_, packets) => {
    expect(verdicts(packets)).toEqual(packets.map(() => 'in order'));
  });

  it('may disconnect, and send nothing after that', () => {
    expect(verdicts([CONNECT, message('1'), EVENT])).toEqual(['in order', 'goodbye', 'out of order']);
    expect(verdicts([CONNECT, message('1'), CONNECT])).toEqual(['in order', 'goodbye', 'out of order']);
  });

  it.each<[string, Packet]>([
    ['an event', EVENT],
    ['a goodbye', message('1')],
    ['nothing', message()],
    ['a CONNECT to another namespace', message('0/admin,')],
    ['a CONNECT to the main namespace by name', message('0/,')],
    ['a CONNECT with a payload that is no object', message('0[]')],
    ['a pong', PONG],
  ])('may not start with %s', (_, packet) => {
    expect(verdicts([packet, CONNECT])).toEqual(['out of order', 'out of order']);
  });

  it.each<[string, Packet]>([
    ['a second CONNECT', CONNECT],
    ['a CONNECT to another namespace', message('0/admin,')],
    ['an unknown event', message('2["hello"]')],
    ['an event named like an object property', message('2["constructor"]')],
    ['an event without a name', message('2[]')],
    ['an event that requests an acknowledgement', message('20["presence",{}]')],
    ['an event of another namespace', message('2/admin,["presence",{}]')],
    ['an acknowledgement', message('30[]')],
    ['an error', message('4{"message":"x"}')],
    ['a binary event', message('51-["presence",{"_placeholder":true,"num":0}]')],
    ['a binary acknowledgement', message('60-[]')],
    ['a packet of unknown type', message('9')],
    ['nothing', message()],
    ['binary', message(Buffer.from('2["presence",{}]'))],
    ['a ping', { type: 'ping' }],
    ['an unrequested pong', PONG],
    ['an upgrade', { type: 'upgrade' }],
    ['a noop', { type: 'noop' }],
    ['an open', { type: 'open', data: '{}' }],
    ['a close', { type: 'close' }],
    ['an unparsable packet', { type: 'error', data: 'parser error' }],
  ])('may not send %s, nor anything after it', (_, packet) => {
    expect(verdicts([CONNECT, packet, EVENT])).toEqual(['in order', 'out of order', 'out of order']);
  });

  it('may answer each ping once', () => {
    const validator = createPacketValidator();
    validator.expectPong();
    expect([PONG, CONNECT].map((packet) => validator.validate(packet))).toEqual(['in order', 'in order']);
    validator.expectPong();
    expect([PONG, PONG].map((packet) => validator.validate(packet))).toEqual(['in order', 'out of order']);
  });
});
