// The motion as a video: what the canvas shows from start to end, as the browser encodes it.

import { Clock } from "./clock";
import { button } from "./elements";
import { offered } from "./saving";

const KINDS = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const FRAMES = 30; // per second
const SHORTEST = 1500; // [ms]; shorter motions are played several times

/** A button that plays the motion from start to end and saves it; null where the browser cannot. */
export function recordButton(canvas: HTMLCanvasElement, clock: Clock, name: string): HTMLButtonElement | null {
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((each) => MediaRecorder.isTypeSupported(each));
  if (!kind || clock.still || !canvas.captureStream) return null;
  let recorder: MediaRecorder | null = null;
  const made = button("Video", "Play the motion and save it as a video", () => {
    if (recorder) return recorder.stop();
    const parts: Blob[] = [];
    recorder = new MediaRecorder(canvas.captureStream(FRAMES), { mimeType: kind, videoBitsPerSecond: 8e6 });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      recorder = null;
      clock.turned = () => undefined;
      made.textContent = "Video";
      offered(`${name}.${kind.includes("mp4") ? "mp4" : "webm"}`, new Blob(parts, { type: kind.split(";")[0] }));
    });
    made.textContent = "Stop";
    clock.seek(clock.start);
    const started = performance.now();
    clock.turned = () => performance.now() - started > SHORTEST && recorder?.stop();
    recorder.start();
    clock.play();
  });
  made.id = "video";
  return made;
}
