// Shows how far an upload is. Without this script the form works the same, in silence.
"use strict";

document.addEventListener("htmx:xhr:progress", (event) => {
  if (!event.target.matches("#upload") || !event.detail.lengthComputable) return;
  const bar = document.getElementById("upload-progress");
  const done = Math.round((100 * event.detail.loaded) / event.detail.total);
  bar.hidden = false;
  bar.value = done;
  document.getElementById("upload-words").textContent = done < 100 ? `${done} % sent` : "Reading…";
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (!event.target.matches("#upload") || event.detail.successful) return;
  document.getElementById("upload-progress").hidden = true;
  document.getElementById("upload-words").textContent =
    event.detail.xhr.status ? `The server answered ${event.detail.xhr.status}.` : "The server could not be reached. Nothing was lost: try again.";
});
