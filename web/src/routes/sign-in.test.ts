// The sign-in flow state by state, with wallets that refuse, are locked, never answer or answer too late.
import { getWallets } from '@wallet-standard/app';
import { describe, expect, it, vi } from 'vitest';
import { session } from '#lib/auth/session.svelte.ts';
import { signInMessages } from '#lib/messages/sign-in-messages.ts';
import { ADDRESS, HERE, later, NOW, OTHER, refusal, signed, throwing, useService, wallet } from './sign-in.fixture.ts';
import { SignIn } from './sign-in.svelte.ts';

const messages = signInMessages;
const service = useService();

async function open(): Promise<SignIn> {
  const signIn = new SignIn();
  await signIn.start();
  return signIn;
}

describe('the page', () => {
  it('requests no signature at another URL than the service’s (S7)', async () => {
    vi.stubGlobal('location', { origin: 'https://review.example.com.evil.test' });
    const signIn = await open();
    expect(signIn.phase).toBe('elsewhere');
    expect(service.times('/api/auth/challenge')).toBe(0);
    await signIn.choose(wallet());
    expect(service.times('/api/auth/verify')).toBe(0);
  });

  it('says that the service does not answer, and starts when it does', async () => {
    service.answers['/api/meta'] = () => refusal(503, 'unavailable');
    const signIn = await open();
    expect(signIn.phase).toBe('unreachable');
    service.answers['/api/meta'] = () => ({ base_url: HERE, demo: false });
    await signIn.start();
    expect([signIn.phase, signIn.fresh]).toEqual(['ready', true]);
  });

  it('looks for wallets for 150 ms before it says that there is none', () => {
    const close = new SignIn();
    const stop = close.open();
    vi.advanceTimersByTime(149);
    expect(close.looking).toBe(true);
    vi.advanceTimersByTime(1);
    expect(close.looking).toBe(false);
    stop();
  });

  it('finds a wallet that registers late', () => {
    const signIn = new SignIn();
    const stop = signIn.open();
    const unregister = getWallets().register(wallet().wallet);
    expect(signIn.wallets.map(({ name }) => name)).toEqual(['Test']);
    unregister();
    stop();
  });
});

describe('a wallet', () => {
  it('a wallet that signs opens the session; the signed text is sent, and no field of the message (S1)', async () => {
    const signIn = await open();
    const choice = wallet();
    await signIn.choose(choice);
    expect(session.state).toBe('signed_in');
    expect(service.requests.find(({ path }) => path === '/api/auth/verify')?.body).toEqual({
      challenge_id: 'challenge 1',
      address: ADDRESS,
      signed_message: 'AQID',
      signature: 'AQID',
    });
    expect([signIn.notice, signIn.busy]).toEqual([null, null]);
  });

  it('a wallet that refuses leaves one quiet line, and the same message for the next attempt', async () => {
    const signIn = await open();
    await signIn.choose(wallet(throwing(new Error('User rejected the request.'))));
    expect(signIn.notice).toMatchObject({ tone: 'quiet', title: messages.refused });
    expect([signIn.busy, service.times('/api/auth/verify'), service.times('/api/auth/challenge')]).toEqual([
      null,
      0,
      1,
    ]);
  });

  it('a wallet that is locked is reported as locked, until it is selected again', async () => {
    const signIn = await open();
    const choice = wallet(throwing({ code: 4100 }));
    await signIn.choose(choice);
    expect(signIn.notice).toMatchObject({ tone: 'quiet', title: messages.locked('Test') });
    expect(signIn.locked).toBe(choice.wallet);
    await signIn.choose(choice);
    expect([signIn.locked, session.state]).toEqual([null, 'signed_in']);
  });

  it.each([['odd'], [undefined], [null], [{}], [new Error('boom')]])(
    'a wallet that throws %o is reported as failed',
    async (thrown) => {
      const signIn = await open();
      await signIn.choose(wallet(throwing(thrown)));
      expect(signIn.notice).toMatchObject({ tone: 'fault', title: messages.walletFailed });
      expect(signIn.busy).toBeNull();
    },
  );

  it('with several accounts is asked with the one the user selected', async () => {
    const signIn = await open();
    const choice = wallet();
    const accounts = [ADDRESS, OTHER].map((address) => ({ address, chains: ['solana:mainnet'] }));
    Object.assign(choice.wallet, { accounts });
    await signIn.choose(choice);
    expect(signIn.accountChoice?.accounts.map(({ address }) => address)).toEqual([ADDRESS, OTHER]);
    expect([choice.requests, signIn.busy]).toEqual([[], null]);
    await signIn.choose(choice, signIn.accountChoice?.accounts[1]);
    expect(choice.requests).toMatchObject([{ address: OTHER }]);
    expect([signIn.accountChoice, signIn.signer]).toEqual([null, OTHER]);
  });
});

describe('a wallet that does not answer', () => {
  it('can be cancelled; a later signature is discarded', async () => {
    const signIn = await open();
    const late = later();
    const choice = wallet(late.answer);
    const chosen = signIn.choose(choice);
    await vi.waitFor(() => expect(choice.requests).toHaveLength(1));
    expect(signIn.busy).toMatchObject({ step: 'signing' });
    signIn.stop();
    expect(signIn.notice).toMatchObject({ tone: 'quiet', title: messages.stopped });
    late.come(signed());
    await chosen;
    expect([signIn.busy, service.times('/api/auth/verify'), session.state]).toEqual([null, 0, 'signed_out']);
  });

  it('is cancelled by selecting another, and its late refusal shows nothing', async () => {
    const signIn = await open();
    const late = later();
    const silent = wallet(() => late.answer().then(() => Promise.reject(new Error('User rejected'))));
    const first = signIn.choose(silent);
    await vi.waitFor(() => expect(silent.requests).toHaveLength(1));
    await signIn.choose(wallet());
    expect(session.state).toBe('signed_in');
    late.come(null);
    await first;
    expect([signIn.notice, service.times('/api/auth/verify')]).toEqual([null, 1]);
  });

  it('is not asked twice by a second press', async () => {
    const signIn = await open();
    const choice = wallet(later().answer);
    void signIn.choose(choice);
    void signIn.choose(choice);
    await vi.waitFor(() => expect(choice.requests).toHaveLength(1));
    await signIn.choose(choice);
    expect(choice.requests).toHaveLength(1);
  });

  it('is forgotten when the page is left', async () => {
    const signIn = new SignIn();
    const leave = signIn.open();
    await vi.waitFor(() => expect(signIn.phase).toBe('ready'));
    const late = later();
    const choice = wallet(late.answer);
    const chosen = signIn.choose(choice);
    await vi.waitFor(() => expect(choice.requests).toHaveLength(1));
    leave();
    late.come(signed());
    await chosen;
    expect(service.times('/api/auth/verify')).toBe(0);
  });
});

it('S15: at a URL where browsers store no session, says so and asks no wallet', async () => {
  vi.stubGlobal('isSecureContext', false);
  const signIn = await open();
  expect([signIn.phase, service.times('/api/auth/challenge')]).toEqual(['insecure', 0]);
  const choice = wallet();
  await signIn.choose(choice);
  expect(choice.requests).toEqual([]);
});

describe('the message', () => {
  it('a sign-in message that is about to expire is replaced before a wallet sees it', async () => {
    const signIn = await open();
    vi.setSystemTime((service.now += 281_000));
    const choice = wallet();
    await signIn.choose(choice);
    expect(choice.requests).toMatchObject([{ nonce: 'nonce2' }]);
    expect(session.state).toBe('signed_in');
  });

  it('a sign-in message that expired is replaced once for any number of concurrent requests', async () => {
    const signIn = await open();
    const both = [signIn.refresh(), signIn.refresh()];
    expect(signIn.refreshing).toBe(true);
    await Promise.all(both);
    expect([service.times('/api/auth/challenge'), signIn.challenge?.challenge_id]).toEqual([2, 'challenge 2']);
    await signIn.refresh();
    expect([service.times('/api/auth/challenge'), signIn.refreshing]).toEqual([3, false]);
  });

  it('a sign-in message that expired while the wallet was open shows both times, and a fresh one is there', async () => {
    const signIn = await open();
    service.answers['/api/auth/verify'] = () => refusal(401, 'signature_invalid');
    const signLate = () => {
      vi.setSystemTime((service.now += 301_000));
      return signed();
    };
    await signIn.choose(wallet(signLate));
    expect(signIn.notice).toMatchObject({
      tone: 'fault',
      title: messages.expired,
      text: messages.expiredText('14:07:31 UTC', '14:07:32 UTC'),
      requestId: 'r-1',
    });
    expect([signIn.challenge?.challenge_id, signIn.fresh]).toEqual(['challenge 2', true]);
  });

  it('a sign-in message that was not the one signed is reported, and a fresh one is there', async () => {
    const signIn = await open();
    service.answers['/api/auth/verify'] = () => refusal(401, 'signature_invalid');
    await signIn.choose(wallet());
    expect(signIn.notice).toMatchObject({ tone: 'fault', title: messages.badSignature, requestId: 'r-1' });
    expect(signIn.challenge?.challenge_id).toBe('challenge 2');
  });

  it('a press while the fresh message is fetched signs that one', async () => {
    const signIn = await open();
    const choice = wallet();
    const fresh = service.answers['/api/auth/challenge'];
    const pressed: Promise<void>[] = [];
    service.answers['/api/auth/challenge'] = () => {
      if (pressed.length === 0) pressed.push(signIn.choose(choice));
      return fresh?.() ?? {};
    };
    service.answers['/api/auth/verify'] = () => refusal(401, 'signature_invalid');
    await signIn.choose(choice);
    await Promise.all(pressed);
    expect(service.times('/api/auth/verify')).toBe(2);
  });

  it.each([
    [25, messages.slow(25)],
    [-7, messages.fast(7)],
  ])(
    'with a server %i minutes ahead and a failing wallet shows the clock difference, with the server’s time',
    async (minutes, off) => {
      service.now = NOW + minutes * 60_000;
      const signIn = await open();
      // The message's validity follows the server's clock, not the local one.
      expect(signIn.fresh).toBe(true);
      await signIn.choose(wallet(throwing(new Error('issuedAt'))));
      expect(signIn.notice?.title).toBe(messages.clockOff);
      // An answer states whole seconds: the page knows the server's clock to within two.
      const shown = [0, 1, 2].map((second) => new Date(service.now + second * 1000).toISOString().slice(11, 19));
      expect(shown.map((time) => messages.clockOffText(off, `${time} UTC`))).toContain(signIn.notice?.text);
    },
  );

  it('a sign-in message that cannot be loaded is reported when a wallet is selected, and no wallet is asked', async () => {
    const signIn = await open();
    service.answers['/api/auth/challenge'] = () => refusal(429, 'rate_limited');
    vi.setSystemTime((service.now += 300_000));
    const choice = wallet();
    await signIn.choose(choice);
    expect(signIn.notice).toMatchObject({ tone: 'fault', title: messages.previewFailed });
    expect(choice.requests).toEqual([]);
  });

  it('signed in a browser that stores no cookie opens nothing, and the page says why', async () => {
    const signIn = await open();
    service.answers['/api/session'] = () => refusal(401, 'session_missing');
    await signIn.choose(wallet());
    expect(signIn.notice).toMatchObject({ tone: 'fault', title: messages.noCookie });
    // The message was used up: the next attempt signs a fresh one.
    const again = wallet();
    await signIn.choose(again);
    expect(again.requests).toMatchObject([{ nonce: 'nonce2' }]);
  });

  it('over a page whose session ended, a busy service is no blocked cookie, and needs no second signature', async () => {
    const read = service.answers['/api/session'];
    session.state = 'ended';
    const signIn = await open();
    service.answers['/api/session'] = () => refusal(503, 'unavailable');
    const choice = wallet();
    await signIn.choose(choice);
    expect(signIn.notice).toMatchObject({ tone: 'fault', title: messages.failed, text: 'Why.', requestId: 'r-1' });
    expect([session.state, signIn.busy]).toEqual(['ended', null]);
    if (read) service.answers['/api/session'] = read;
    await signIn.choose(choice);
    expect([session.state, signIn.notice, choice.requests.length]).toEqual(['signed_in', null, 1]);
    expect(service.times('/api/auth/verify')).toBe(1);
  });

  it('asks for a signature again after the session that could not be read was none, and always from another wallet', async () => {
    session.state = 'ended';
    const signIn = await open();
    service.answers['/api/session'] = () => refusal(503, 'unavailable');
    const [choice, other] = [wallet(), wallet()];
    await signIn.choose(choice);
    await signIn.choose(other);
    expect([choice.requests.length, other.requests.length]).toEqual([1, 1]);
    service.answers['/api/session'] = () => refusal(401, 'session_missing');
    await signIn.choose(other);
    expect([signIn.notice?.title, other.requests.length]).toEqual([messages.noCookie, 1]);
    await signIn.choose(other);
    expect([signIn.notice?.title, other.requests.length]).toEqual([messages.noCookie, 2]);
  });
});
