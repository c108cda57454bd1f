// Saves a text or a file as a browser download.

/** Saves under this name; `type` is the media type of the text. */
export function saveText(name: string, text: string, type = 'text/plain;charset=utf-8'): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Saves these bytes under this name. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the bytes by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
