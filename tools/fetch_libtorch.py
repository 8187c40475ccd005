#!/usr/bin/env python3
"""Fetches LibTorch: the wheels of a lock file, from the indexes that pip is configured for, unpacked into one folder.

usage: fetch_libtorch.py LOCK CACHE FOLDER
LOCK has lines of `<sha256>  <wheel>`. Wheels are kept in CACHE/wheels; an interrupted download goes on where it stopped.
They are unpacked into CACHE/FOLDER; CACHE/FOLDER/complete.lock, a copy of LOCK, is written last.
"""
import ast
import base64
import csv
import fcntl
import hashlib
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import zipfile

ATTEMPTS = 5


class SetUpError(Exception):
    pass


def say(text):
    print(f"set-up: {text}", file=sys.stderr, flush=True)


def digest(path):
    sha = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha


# ---- where pip would look -------------------------------------------------------------------------------------------


def pip(*arguments):
    command = [sys.executable, "-m", "pip", *arguments]
    try:
        return subprocess.run(command, check=True, text=True, capture_output=True, env={**os.environ, "COLUMNS": "400"}).stdout
    except subprocess.CalledProcessError as error:
        raise SetUpError(f"pip's configuration cannot be read: {error.stderr.strip()[-300:]}") from None


def pip_settings():
    """pip's own configuration, files and PIP_ variables; the more special section wins, as in pip."""
    settings = {}
    lines = [re.match(r"(global|install|download|:env:)\.([a-z-]+)=(.*)", line) for line in pip("config", "list").splitlines()]
    for section in ("global", "install", "download", ":env:"):
        settings.update({m[2]: str(ast.literal_eval(m[3])) for m in lines if m and m[1] == section})
    return settings


def default_index():
    found = re.search(r"--index-url <url>.*?\(default (\S+?)\)", pip("download", "--help"), re.S)
    if not found:
        raise SetUpError("pip does not say what its index is; set PIP_INDEX_URL")
    return found[1]


def without_password(url):
    return re.sub(r"//[^/@]*@", "//", url)


# ---- curl -----------------------------------------------------------------------------------------------------------


def curl_options(settings):
    options = ["--location", "--fail", "--netrc-optional", "--connect-timeout", "30", "--speed-limit", "1000", "--speed-time", "60"]
    for name, option in (("proxy", "--proxy"), ("cert", "--cacert"), ("client-cert", "--cert")):
        if settings.get(name):
            options += [option, settings[name]]
    return options


class Links(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.found.append(dict(attributes).get("href") or "")


class Indexes:
    """Finds the address of a wheel as pip does: find-links, then index-url, then extra-index-url."""

    def __init__(self, settings):
        self.curl = curl_options(settings)
        self.trusted = settings.get("trusted-host", "").split()
        self.find_links = settings.get("find-links", "").split()
        self.indexes = []
        if settings.get("no-index", "").lower() not in ("1", "true", "yes", "on"):
            self.indexes = [settings.get("index-url") or default_index(), *settings.get("extra-index-url", "").split()]

    def curl_for(self, url):
        host = urllib.parse.urlsplit(url)
        insecure = host.hostname in self.trusted or host.netloc.rpartition("@")[2] in self.trusted
        return ["curl", *self.curl, *(["--insecure"] if insecure else [])]

    def find(self, wheel):
        project = re.sub(r"[-_.]+", "-", wheel.split("-")[0]).lower()
        pages, reasons = [], []
        for place in self.find_links:
            folder = pathlib.Path(urllib.parse.unquote(place.removeprefix("file://"))).expanduser()
            if (folder / wheel).is_file():
                return (folder / wheel).resolve().as_uri()
            if "://" in place and not folder.is_dir():
                pages.append(place)
        pages += [f"{index.rstrip('/')}/{project}/" for index in self.indexes]
        for page in pages:
            try:
                return self.link_on(page, wheel)
            except SetUpError as why:
                reasons.append(f"{without_password(page)}: {why}")
        raise SetUpError(f"{wheel} not found ({'; '.join(reasons) or 'pip is told to use no index'})")

    def link_on(self, page, wheel):
        command = [*self.curl_for(page), "-sS", "--retry", "3", "-H", "Accept: text/html", "-w", "\n%{url_effective}", page]
        answer = subprocess.run(command, text=True, capture_output=True)
        if answer.returncode:
            raise SetUpError((answer.stderr.strip().splitlines() or [f"curl ended with {answer.returncode}"])[-1])
        body, _, address = answer.stdout.rpartition("\n")
        credentials, _, host = urllib.parse.urlsplit(page).netloc.rpartition("@")
        for href in Links(body).found:
            link = urllib.parse.urljoin(address, href).partition("#")[0]
            if urllib.parse.unquote(link.rpartition("/")[2]) == wheel:
                same_host = credentials and urllib.parse.urlsplit(link).netloc == host
                return link.replace("://", f"://{credentials}@", 1) if same_host else link
        raise SetUpError("not there")


# ---- download, unpack, verify ---------------------------------------------------------------------------------------


def download(wheel, sha256, folder, indexes):
    """Leaves folder/wheel with the right SHA-256; a part that an earlier run left is continued."""
    final, part = folder / wheel, folder / f"{wheel}.part"
    if final.exists():
        if digest(final).hexdigest() == sha256:
            return
        final.replace(part)
    url = indexes.find(wheel)
    size = part.stat().st_size >> 20 if part.exists() else 0
    say(f"fetching {wheel}" + (f" (going on after {size} MiB)" if size else ""))
    quiet = ["--progress-bar"] if sys.stderr.isatty() else ["-sS"]
    command = [*indexes.curl_for(url), *quiet, "--continue-at", "-", "--write-out", "%{http_code}", "--output", part, url]
    for attempt in range(ATTEMPTS):
        curl = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        # 416: the part is as long as the file or longer, so only the sum can tell.
        status = 0 if curl.stdout == "416" else curl.returncode
        if status == 0:
            break
        if status in (33, 36):  # the server cannot continue a file
            part.unlink(missing_ok=True)
        time.sleep(attempt)
    found = digest(part).hexdigest() if part.exists() else ""
    if found == sha256:
        part.replace(final)
    elif status:
        raise SetUpError(f"{wheel} could not be fetched (curl ended with {status}); run again to go on from here")
    else:
        part.unlink()
        raise SetUpError(f"{wheel} must have SHA-256 {sha256}; the file received has {found} and is removed")


def unpack(wheels, folder):
    temporary = folder.with_name(f"{folder.name}.tmp")
    for old in (temporary, folder):
        if old.exists():
            shutil.rmtree(old)
    say(f"unpacking into {folder}")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(temporary)
    temporary.rename(folder)


def broken_file(folder, wheels):
    """The first file that is not as its wheel's RECORD says, or None."""
    for wheel in wheels:
        record = folder / ("-".join(wheel.split("-")[:2]) + ".dist-info") / "RECORD"
        if not record.is_file():
            return record
        with open(record, newline="") as lines:
            for name, sha, *_ in csv.reader(lines):
                path = folder / name
                if not path.is_file():
                    return path
                if sha and base64.urlsafe_b64encode(digest(path).digest()).decode().rstrip("=") != sha.removeprefix("sha256="):
                    return path
    return None


def main(lock, cache, name):
    wanted = dict(reversed(line.split()) for line in pathlib.Path(lock).read_text().splitlines())
    cache = pathlib.Path(cache)
    folder, wheels, stamp = cache / name, cache / "wheels", cache / name / "complete.lock"
    wheels.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # one set-up at a time; the second finds everything done
        if stamp.is_file() and stamp.read_text() == pathlib.Path(lock).read_text():
            return
        broken = broken_file(folder, wanted) if folder.exists() else folder
        if broken and broken != folder:
            say(f"{broken} is missing or damaged")
        if broken:
            indexes = Indexes(pip_settings())
            for wheel, sha256 in wanted.items():
                download(wheel, sha256, wheels, indexes)
            unpack([wheels / wheel for wheel in wanted], folder)
        shutil.copyfile(lock, stamp)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (SetUpError, OSError) as error:
        say(error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
