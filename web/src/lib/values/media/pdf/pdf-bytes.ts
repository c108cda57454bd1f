// The bytes of a PDF: decoded from a `data:` value, or fetched through our own server (MP1).

/** Why our server does not serve the file, in its words. */
export class Refused extends Error {}

/** Errors: `Refused`, and what a failed fetch or text throws. */
export async function bytesOf(src: string): Promise<Uint8Array> {
  const data = /^data:[^,]*;base64,/.exec(src)?.[0];
  if (data !== undefined) return Uint8Array.from(atob(src.slice(data.length)), (letter) => letter.charCodeAt(0));
  const answer = await fetch(src);
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  const { detail } = (await answer.json()) as { detail?: unknown };
  throw new Refused(typeof detail === 'string' ? detail : undefined);
}
