// Unpacks the data that the page holds gzipped, in base64.

export async function unpacked(id) {
  if (!globalThis.DecompressionStream) throw new Error("this browser cannot unpack the data; use a browser of 2023 or later");
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}
