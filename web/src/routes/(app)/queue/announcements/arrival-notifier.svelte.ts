// Notifies a user who looks elsewhere that items wait, by the count in the tab's title and a short sound. Both are off by
// default.
import { browserStorage } from '#lib/drafts/drafts.ts';

const TITLE = 'countersign.queue.notice.title';
const SOUND = 'countersign.queue.notice.sound';
/** Items that arrive together play one sound, and a busy queue does not play it continuously. */
const SOUND_INTERVAL_MS = 5000;
const LENGTH_S = 0.15;
const PITCH_HZ = 660;
const LOUDNESS = 0.08;

class ArrivalNotifier {
  #title = $state(read(TITLE));
  #sound = $state(read(SOUND));
  #audio: AudioContext | null = null;
  #soundedAt = -Infinity;

  get title(): boolean {
    return this.#title;
  }

  set title(value: boolean) {
    this.#title = value;
    persist(TITLE, value);
  }

  get sound(): boolean {
    return this.#sound;
  }

  /** Browsers allow sound only after a user gesture; turning it on is that gesture, and plays the sound once as a preview. */
  set sound(value: boolean) {
    this.#sound = value;
    persist(SOUND, value);
    this.#soundedAt = -Infinity;
    if (value) this.arrived(0);
  }

  /** An item arrived in a queue that may not be visible. `now` in ms. */
  arrived(now: number): void {
    if (!this.#sound || now - this.#soundedAt < SOUND_INTERVAL_MS) return;
    this.#soundedAt = now;
    try {
      this.#audio ??= new AudioContext();
      beep(this.#audio);
    } catch {
      // The browser has no sound, or does not allow it yet.
    }
  }
}

function beep(audio: AudioContext): void {
  void audio.resume();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = PITCH_HZ;
  volume.gain.setValueAtTime(LOUDNESS, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + LENGTH_S);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + LENGTH_S);
}

function read(name: string): boolean {
  try {
    return browserStorage()?.getItem(name) === 'on';
  } catch {
    return false;
  }
}

function persist(name: string, value: boolean): void {
  try {
    browserStorage()?.setItem(name, value ? 'on' : 'off');
  } catch {
    // The choice then lasts as long as the tab.
  }
}

export const arrivalNotifier = new ArrivalNotifier();
