// Plays a sound when items arrive, for a user who looks elsewhere; off by default.
import { flag, persisted } from '#lib/storage/persisted.ts';

const storedSound = persisted('countersign.queue.notice.sound', flag({ otherwise: false }));
/** Items that arrive together play one sound, and a busy queue does not play it continuously. */
const SOUND_INTERVAL_MS = 5000;
const LENGTH_S = 0.15;
const PITCH_HZ = 660;
const LOUDNESS = 0.08;

class ArrivalNotifier {
  #sound = $state(storedSound.read());
  #audio: AudioContext | null = null;
  #soundedAt = -Infinity;

  get sound(): boolean {
    return this.#sound;
  }

  /** Browsers allow sound only after a user gesture; turning it on is that gesture, and plays the sound once as a preview. */
  set sound(value: boolean) {
    this.#sound = value;
    storedSound.write(value);
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

export const arrivalNotifier = new ArrivalNotifier();
