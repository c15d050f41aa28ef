// Command mkimage writes an image as a tar with the layout of OCI, which `ctr images import` reads. Its one layer has files and
// folders of this machine. The same files give the same image.
//
//	mkimage -o pause.tar -name k8s.local/pause:3.10.2 -entrypoint /pause bin/pause:/pause
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

type object = map[string]any

func main() {
	var names []string
	out := flag.String("o", "", "file to write")
	entrypoint := flag.String("entrypoint", "", "program and its arguments, separated by spaces")
	flag.Func("name", "full name of the image; may be repeated", func(name string) error {
		names = append(names, name)
		return nil
	})
	flag.Parse()
	packed, plain, err := layerOf(flag.Args())
	if err == nil {
		err = writeImage(*out, names, strings.Fields(*entrypoint), packed, plain)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// writeImage writes the layout: the index has the one image once for each name.
func writeImage(out string, names, entrypoint []string, layer []byte, plain string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	image := &layout{tar: tar.NewWriter(file)}
	layerBlob := image.blob("layer.v1.tar+gzip", layer)
	config := object{"Env": []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, "WorkingDir": "/"}
	if len(entrypoint) > 0 {
		config["Entrypoint"] = entrypoint
	}
	configBlob := image.blob("config.v1+json", encode(object{
		"architecture": runtime.GOARCH, "os": "linux", "config": config,
		"rootfs": object{"type": "layers", "diff_ids": []string{plain}},
	}))
	manifest := encode(object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": configBlob, "layers": []object{layerBlob},
	})
	var manifests []object
	described := image.blob("manifest.v1+json", manifest)
	for _, name := range names {
		named := object{"annotations": object{
			"io.containerd.image.name":          name,
			"org.opencontainers.image.ref.name": name[strings.LastIndex(name, ":")+1:],
		}}
		for key, value := range described {
			named[key] = value
		}
		manifests = append(manifests, named)
	}
	image.put("index.json", encode(object{"schemaVersion": 2, "manifests": manifests}))
	image.put("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	if image.err == nil {
		image.err = image.tar.Close()
	}
	if err := file.Close(); image.err == nil {
		image.err = err
	}
	return image.err
}

// layout is a tar of blobs; it keeps the first error.
type layout struct {
	tar *tar.Writer
	err error
}

func (l *layout) put(name string, content []byte) {
	if l.err == nil {
		l.err = l.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))})
	}
	if l.err == nil {
		_, l.err = l.tar.Write(content)
	}
}

// blob stores content by its hash and describes it as a kind of OCI.
func (l *layout) blob(kind string, content []byte) object {
	digest := fmt.Sprintf("%x", sha256.Sum256(content))
	l.put("blobs/sha256/"+digest, content)
	return object{"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(content)}
}

// layerOf packs files, each FROM:TO. It returns the compressed layer and the digest of the plain one.
func layerOf(args []string) ([]byte, string, error) {
	var packed bytes.Buffer
	gzipped, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, "", err
	}
	plain := sha256.New()
	files := &layer{tar: tar.NewWriter(io.MultiWriter(gzipped, plain)), folders: map[string]bool{".": true}}
	for _, arg := range args {
		from, to, _ := strings.Cut(arg, ":")
		err := filepath.WalkDir(from, func(file string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(from, file)
			if err != nil {
				return err
			}
			return files.add(file, strings.TrimPrefix(path.Join("/", to, inside), "/"))
		})
		if err != nil {
			return nil, "", err
		}
	}
	if err := files.tar.Close(); err != nil {
		return nil, "", err
	}
	if err := gzipped.Close(); err != nil {
		return nil, "", err
	}
	return packed.Bytes(), fmt.Sprintf("sha256:%x", plain.Sum(nil)), nil
}

// layer is the tar of files, with the folders that it has.
type layer struct {
	tar     *tar.Writer
	folders map[string]bool
}

// folder adds a folder after those above it, once.
func (l *layer) folder(name string) error {
	if l.folders[name] {
		return nil
	}
	if err := l.folder(path.Dir(name)); err != nil {
		return err
	}
	l.folders[name] = true
	return l.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
}

// add adds a file, a link or a folder. All belong to root and have no time.
func (l *layer) add(file, inside string) error {
	about, err := os.Lstat(file)
	if err != nil || inside == "" {
		return err
	}
	if about.IsDir() {
		return l.folder(inside)
	}
	if err := l.folder(path.Dir(inside)); err != nil {
		return err
	}
	target := ""
	if about.Mode()&fs.ModeSymlink != 0 {
		if target, err = os.Readlink(file); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(about, target)
	if err != nil {
		return err
	}
	header.Name, header.Uid, header.Gid, header.Uname, header.Gname, header.ModTime = inside, 0, 0, "", "", time.Unix(0, 0)
	if err := l.tar.WriteHeader(header); err != nil || !about.Mode().IsRegular() {
		return err
	}
	content, err := os.Open(file)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(l.tar, content)
	return err
}

func encode(value object) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return text
}
