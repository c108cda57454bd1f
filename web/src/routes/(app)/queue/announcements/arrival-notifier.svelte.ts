// What tells somebody who looks elsewhere that items wait: the count in the tab's title and a short sound. Both are off until asked for.
import { browserStorage } from '#lib/drafts/drafts.ts';

const TITLE = 'countersign.queue.notice.title';
const SOUND = 'countersign.queue.notice.sound';
/** Several that arrive together are one sound, and a busy queue is no siren. */
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

  /** Turning it on is the gesture a browser wants before it lets a page sound; it sounds once, to be heard. */
  set sound(value: boolean) {
    this.#sound = value;
    persist(SOUND, value);
    this.#soundedAt = -Infinity;
    if (value) this.arrived(0);
  }

  /** An item came to a queue that somebody may not be looking at. `now` in ms. */
  arrived(now: number): void {
    if (!this.#sound || now - this.#soundedAt < SOUND_INTERVAL_MS) return;
    this.#soundedAt = now;
    try {
      this.#audio ??= new AudioContext();
      beep(this.#audio);
    } catch {
      // A browser without sound, or one that does not allow it yet.
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
